package org.pgconcord.router.exec;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.pgconcord.config.atomic.AtomicTransaction;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.PreparedTransactions;
import org.pgconcord.config.atomic.Resolution;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.atomic.Sight;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.HandOvers;
import org.pgconcord.router.tx.PartialCommitLog;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.router.tx.StoredDecisions;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fault.FaultNetwork;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.testkit.fixture.UsersByEmail;

/**
 * A router that commits in two phases, behind a network that can be cut at any message, with a
 * resolver at hand. The router's way to the catalog does not go through that network.
 */
final class AtomicRig implements AutoCloseable {
  /** How long a client is held whose commit hangs. */
  final AtomicReference<Duration> held = new AtomicReference<>(Duration.ofSeconds(30));

  final LiveRouter router;
  final Shards shards;
  final FaultNetwork network;
  final StopAt stops;

  /** Shards that the router takes for ones without prepared transactions. */
  final AtomicReference<Set<ShardId>> refusing = new AtomicReference<>(Set.of());

  private final AtomicInteger handedOver = new AtomicInteger();
  private final DecisionLog log;
  private final StoredDecisions stored;

  AtomicRig() throws SQLException {
    this(UsersByEmail.declared(false));
  }

  AtomicRig(DeclaredIndex declared) throws SQLException {
    this(declared, UnaryOperator.identity());
  }

  AtomicRig(DeclaredIndex declared, UnaryOperator<RouterSettings> settings) throws SQLException {
    AtomicReference<FaultNetwork> made = new AtomicReference<>();
    AtomicReference<StoredDecisions> decisions = new AtomicReference<>();
    AtomicReference<StopAt> around = new AtomicReference<>();
    router =
        new LiveRouter(
            new LiveRouter.Extras(
                cluster -> directory(made, cluster),
                cluster -> {
                  decisions.set(decisions(cluster));
                  around.set(new StopAt(made(decisions)));
                  return made(around);
                },
                settings),
            declared);
    shards = router.shards;
    network = made(made);
    stored = made(decisions);
    stops = made(around);
    log = new DecisionLog(() -> service(shards, TwoShards.A));
  }

  /** A second router, which reaches the shards directly. */
  RouterServer another() {
    return router.beside(new LiveRouter.Extras(Shards::directory, cluster -> stored));
  }

  private static <T> T made(AtomicReference<T> reference) {
    return Objects.requireNonNull(reference.get());
  }

  private static ShardDirectory directory(AtomicReference<FaultNetwork> made, Shards shards) {
    Map<String, Integer> ports = new HashMap<>();
    for (ShardId shard : shards.cluster.shards()) {
      ports.put(shard.uid(), shards.cluster.shard(shard).port());
    }
    try {
      made.set(FaultNetwork.before(ports));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return new ShardDirectory() {
      private final KnownServers known = new KnownServers();

      @Override
      public KnownServers known() {
        return known;
      }

      @Override
      public List<InetSocketAddress> hosts(ShardId shard) {
        return List.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), made(made).port(shard.uid())));
      }

      @Override
      public String database(ShardId shard, String logicalDatabase) {
        return ShardCluster.DATABASE;
      }
    };
  }

  private StoredDecisions decisions(Shards cluster) {
    try (Connection home = cluster.cluster.asService(TwoShards.A)) {
      CatalogInstaller.installCatalog(home);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    String id = cluster.ask(TwoShards.A, "SELECT id FROM pgconcord.cluster");
    String name = GlobalId.random(new SecureRandom());
    return new StoredDecisions(
        new StoredDecisions.Names(id, name, "pgconcord"),
        new DecisionLog(RouterPresence.shown(name, () -> service(cluster, TwoShards.A))),
        new PartialCommitLog(new PartialCommits(() -> service(cluster, TwoShards.A))),
        new HandOvers(this::resolve, held::get),
        refusing::get,
        Duration.ofSeconds(30));
  }

  private static Connection service(Shards shards, ShardId shard) {
    try {
      return shards.cluster.asService(shard);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  // --- the resolver ----------------------------------------------------------------------------

  /** Settles everything that has not ended, at once. */
  void resolveAll() {
    resolveAll(participant -> {});
  }

  /** The same for what has ended already: a server may do late what it was asked before. */
  void sweep() {
    log.all().forEach(known -> resolve(known.id(), participant -> {}));
  }

  /** The same, telling before each participant that is ended. */
  void resolveAll(Consumer<Participant> watch) {
    log.open().forEach(open -> resolve(open.id(), watch));
  }

  private Map<String, Set<ShardId>> resolve(Set<String> ids) {
    handedOver.incrementAndGet();
    ids.forEach(id -> resolve(id, participant -> {}));
    Map<String, Set<ShardId>> left = new HashMap<>();
    log.open().stream()
        .filter(open -> ids.contains(open.id()))
        .forEach(open -> left.put(open.id(), silent()));
    return left;
  }

  private Set<ShardId> silent() {
    Set<ShardId> silent = new TreeSet<>(shards.cluster.shards());
    silent.removeAll(look().shards().keySet());
    return silent;
  }

  private void resolve(String id, Consumer<Participant> watch) {
    boolean again = true;
    while (again) {
      Optional<AtomicTransaction> transaction = log.find(id);
      again =
          transaction.isPresent()
              && Resolution.next(transaction.get(), look(), Resolution.Limits.DEFAULT.now())
                  .match(new Doing(transaction.get(), watch));
    }
  }

  private Sight look() {
    Map<ShardId, List<PreparedTransaction>> seen = new HashMap<>();
    for (ShardId shard : shards.cluster.shards()) {
      try (Connection service = service(shards, shard)) {
        seen.put(shard, PreparedTransactions.seen(service));
      } catch (SQLException | IllegalStateException e) {
        // It is down: silent.
      }
    }
    return Sight.of(seen);
  }

  private final class Doing implements Resolution.Cases<Boolean> {
    private final AtomicTransaction transaction;
    private final Consumer<Participant> watch;

    private Doing(AtomicTransaction transaction, Consumer<Participant> watch) {
      this.transaction = transaction;
      this.watch = watch;
    }

    @Override
    public Boolean rest() {
      return false;
    }

    @Override
    public Boolean decideAbort() {
      log.decide(transaction.id(), Decision.ABORT, "resolver");
      return true;
    }

    @Override
    public Boolean end(Decision decision, List<Participant> participants) {
      for (Participant participant : participants) {
        try (Connection service = service(shards, participant.shard())) {
          watch.accept(participant);
          PreparedTransactions.end(service, participant.gid(), participant.role(), decision);
        } catch (SQLException e) {
          throw new IllegalStateException(e);
        }
      }
      return true;
    }

    @Override
    public Boolean await(List<Participant> silent) {
      return false;
    }

    @Override
    public Boolean finish() {
      log.finish(List.of(transaction.id()));
      return false;
    }

    @Override
    public Boolean forget() {
      return false;
    }
  }

  // --- questions -------------------------------------------------------------------------------

  /** Prepared transactions on all shards. */
  int prepared() {
    return look().all().size();
  }

  int open() {
    return log.open().size();
  }

  /** How often the router has asked for the rest of a commit. */
  int handedOver() {
    return handedOver.get();
  }

  Decisions decisions() {
    return stored;
  }

  /** Ends all of the router's sessions with shards: what its death does to them. */
  void endSessions() {
    network.down();
    network.up();
    for (ShardId shard : shards.cluster.shards()) {
      shards.ask(
          shard,
          "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
              + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
              + " AND usename IN ('demo', 'pgconcord')"
              + " AND application_name <> 'PostgreSQL JDBC Driver'");
    }
  }

  @Override
  public void close() {
    log.close();
    stored.close();
    router.close();
    network.close();
  }
}
