package org.pgconcord.router.exec;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.FencedTable;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.router.tx.UsersIndex;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** A router in front of two shards, its routing state in the test's hand. */
final class LiveRouter implements AutoCloseable {
  static final FencedTable USERS = new FencedTable("app", UsersByEmail.USERS);

  final Shards shards;
  final RouterEpochs epochs;
  final Set<String> suspects = ConcurrentHashMap.newKeySet();
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final DeclaredIndex declared;
  private final RouterServer server;
  private final int port;
  private long revision = 1;
  private Stands stands = Stands.NONE;
  volatile boolean leased = true;

  /**
   * What a router is given beside the shards.
   *
   * @param directory where it finds them
   * @param decisions what remembers its commits in two phases
   * @param replicas what knows of the shards' replicas
   * @param settings what is otherwise than by default
   */
  record Extras(
      Function<Shards, ShardDirectory> directory,
      Function<Shards, Decisions> decisions,
      Replicas replicas,
      UnaryOperator<RouterSettings> settings) {
    static final Extras NONE = new Extras(Shards::directory, shards -> Decisions.NONE);

    Extras(Function<Shards, ShardDirectory> directory, Function<Shards, Decisions> decisions) {
      this(directory, decisions, UnaryOperator.identity());
    }

    Extras(
        Function<Shards, ShardDirectory> directory,
        Function<Shards, Decisions> decisions,
        UnaryOperator<RouterSettings> settings) {
      this(directory, decisions, Replicas.NONE, settings);
    }

    static Extras with(Replicas replicas) {
      return new Extras(NONE.directory, NONE.decisions, replicas, UnaryOperator.identity());
    }
  }

  LiveRouter() throws SQLException {
    this(Extras.NONE);
  }

  LiveRouter(Extras extras) throws SQLException {
    this(extras, UsersByEmail.declared(false));
  }

  LiveRouter(Extras extras, DeclaredIndex declared) throws SQLException {
    this.declared = declared;
    shards = new Shards(UsersIndex.resolved(declared));
    epochs = new RouterEpochs(routing(declared, GsiState.ENABLED), () -> leased);
    epochs.follow(shards.known());
    for (var shard : shards.cluster.shards()) {
      try (Connection service = shards.cluster.asService(shard)) {
        CatalogInstaller.installShard(service, List.of(USERS));
      }
      try (Connection owner = shards.cluster.asOwner(shard);
          var statement = owner.createStatement()) {
        statement.execute("CREATE TABLE countries (code char(2) PRIMARY KEY, name text)");
        statement.execute("INSERT INTO countries VALUES ('FI', 'Finland'), ('FR', 'France')");
      }
    }
    server = router(extras);
    port = server.start().getPort();
  }

  /** Another router over the same shards, which knows nothing of this one. */
  RouterServer beside() {
    return router(Extras.NONE);
  }

  /** The same, which has something of its own. */
  RouterServer beside(Extras extras) {
    return router(extras);
  }

  private RouterServer router(Extras extras) {
    RouterMetrics metrics = new RouterMetrics(registry);
    return new RouterServer(
        extras
            .settings()
            .apply(
                RouterSettings.of(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    RouterSettings.Auth.TRUST)),
        extras.directory().apply(shards),
        () -> epochs.current().topology(),
        new RouterServer.ServiceRole("pgconcord", BackendSecret.TRUST),
        Executor.factory(
            new RouterServices(
                epochs,
                new StatementPlanner(),
                new LookupIndexes(epochs.current()),
                this::suspect,
                (table, copies, reason) -> CompletableFuture.completedFuture(null),
                metrics,
                new Deadlocks(),
                Duration.ofSeconds(5),
                extras.decisions().apply(shards),
                extras.replicas(),
                () -> IndexStatistics.NONE)),
        metrics);
  }

  private void suspect(GsiName gsi, Collection<Tuple> identities) {
    identities.forEach(identity -> suspects.add(identity.stored()));
  }

  /** Publishes the index's state; returns the new revision. */
  long publish(GsiState state) {
    return publish(declared, state);
  }

  /** The same of another declaration of it, with the same entries. */
  long publish(DeclaredIndex other, GsiState state) {
    revision++;
    epochs.publish(routing(other, state));
    return revision;
  }

  /** As after a comparison of the index with the servers that have been reached. */
  void compared() {
    stands = new Stands(shards.known().all(), Set.of());
    publish(GsiState.ENABLED);
  }

  private RoutingState routing(DeclaredIndex index, GsiState state) {
    return UsersIndex.routing(index, revision, state, revision)
        .withFences(new Fences(Map.of(USERS, revision)))
        .withStands(stands);
  }

  int port() {
    return port;
  }

  Connection connect() throws SQLException {
    return connect("extended");
  }

  /** {@code mode}: pgJDBC's preferQueryMode. */
  Connection connect(String mode) throws SQLException {
    return connect(mode, "ApplicationName", "test");
  }

  /** With one more of pgJDBC's properties. */
  Connection connect(String mode, String property, String value) throws SQLException {
    return connect(port, mode, property, value);
  }

  static Connection connect(int port, String mode, String property, String value)
      throws SQLException {
    Properties properties = new Properties();
    properties.setProperty(property, value);
    properties.setProperty("user", "demo");
    properties.setProperty("preferQueryMode", mode);
    return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/app", properties);
  }

  @Override
  public void close() {
    server.close();
    shards.close();
  }
}
