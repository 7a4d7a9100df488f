package org.pgconcord.daemon.transactions;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.pgconcord.config.atomic.AtomicTransaction;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.PreparedTransactions.Answer;
import org.pgconcord.config.atomic.Resolution;
import org.pgconcord.config.atomic.Resolution.Limits;
import org.pgconcord.config.atomic.Sight;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks {@link Resolution} what comes next about each open transaction and does it, until there is
 * nothing more to do now. Each step starts from a new reading of the catalog followed by a new look
 * at the shards, in this order. Blocks; any thread. Two resolvers, or a resolver and a router, or
 * two threads here, may work on one transaction: the decision is one row, and who comes second
 * finds that a participant has ended already. Those for whom clients wait are therefore not held up
 * by a regular round that waits for a shard.
 */
public final class Resolver {
  private static final Logger log = LoggerFactory.getLogger(Resolver.class);

  /** Decide, finish, and what others who work on it at the same time may cost. */
  private static final int STEPS = 8;

  private final Services services;
  private final ResolverCounts counts = new ResolverCounts();
  private final Set<String> reported = new HashSet<>();
  private final Set<ShardId> hanging = ConcurrentHashMap.newKeySet();
  private volatile Set<ShardId> refusing = Set.of();

  /**
   * What it works with.
   *
   * @param clusterId prepared transactions of other clusters are nobody's business here
   * @param shards all that are configured
   * @param databases the logical databases; every shard has all of them
   */
  public record Services(
      DecisionLog log,
      ShardConnections connections,
      String clusterId,
      Set<ShardId> shards,
      Supplier<SortedSet<String>> databases,
      Limits limits) {
    public Services {
      shards = Set.copyOf(shards);
    }

    /** The logical database that has this name on a shard. */
    String logicalDatabase(ShardId shard, String name) {
      return databases.get().stream()
          .filter(logical -> connections.database(shard, logical).equals(name))
          .findFirst()
          .orElse(name);
    }

    ShardSessions sessions() {
      return sessions(ShardSessions.PATIENT, Set.of());
    }

    ShardSessions sessions(Duration patience, Set<ShardId> hanging) {
      return new ShardSessions(connections, databases.get().first(), patience, hanging);
    }
  }

  public Resolver(Services services) {
    this.services = services;
  }

  public ResolverCounts counts() {
    return counts;
  }

  /** Shards that took no prepared transactions at the last sweep. Any thread. */
  public Set<ShardId> refusing() {
    return refusing;
  }

  /** Settles what is open in the catalog and due. Looks at no shard when nothing is. */
  public synchronized void settleOpen() {
    List<AtomicTransaction> open = services.log().open();
    counts.open(
        open.size(),
        open.stream().map(AtomicTransaction::age).mapToLong(Duration::toMillis).max().orElse(0)
            / 1000.0);
    if (open.isEmpty()) {
      return;
    }
    try (ShardSessions sessions = services.sessions()) {
      open.forEach(transaction -> settle(transaction, sessions, services.limits(), "resolver"));
    }
  }

  /** The same for everything that the catalog remembers; and looks for what it does not know. */
  public synchronized void sweep() {
    List<AtomicTransaction> all = services.log().all();
    try (ShardSessions sessions = services.sessions()) {
      Sight sight = sessions.look(new TreeSet<>(services.shards()));
      refusing = Set.copyOf(sessions.refusing(new TreeSet<>(services.shards())));
      for (AtomicTransaction transaction : all) {
        if (!resting(transaction, sight)) {
          settle(transaction, sessions, services.limits(), "resolver");
        }
      }
      unknown(sight, all);
    }
  }

  private boolean resting(AtomicTransaction transaction, Sight sight) {
    return Resolution.next(transaction, sight, services.limits())
        .match(StepNames.INSTANCE)
        .isEmpty();
  }

  /**
   * Settles some at once, whoever else is at them.
   *
   * @return those that have not ended, and on which shards; not those that the catalog has
   *     forgotten
   */
  public Map<String, Set<ShardId>> settleNow(Set<String> transactions, String by) {
    try (ShardSessions sessions = services.sessions()) {
      return settleNow(transactions, by, sessions);
    }
  }

  /** The same for clients who wait: a shard that does not answer soon is left for later. */
  public Map<String, Set<ShardId>> settleSoon(Set<String> transactions, String by) {
    try (ShardSessions sessions = services.sessions(ShardSessions.IMPATIENT, hanging)) {
      Map<String, Set<ShardId>> left = settleNow(transactions, by, sessions);
      sessions.hanging().forEach(this::untilItAnswers);
      return left;
    }
  }

  /** The next rounds do not wait for it. */
  private void untilItAnswers(ShardId shard, CompletableFuture<Void> end) {
    hanging.add(shard);
    var unused = end.thenRun(() -> hanging.remove(shard));
  }

  private Map<String, Set<ShardId>> settleNow(
      Set<String> transactions, String by, ShardSessions sessions) {
    Map<String, Set<ShardId>> left = new TreeMap<>();
    for (String transaction : transactions) {
      services
          .log()
          .find(transaction)
          .map(found -> settle(found, sessions, services.limits().now(), by))
          .filter(shards -> !shards.isEmpty())
          .ifPresent(shards -> left.put(transaction, shards));
    }
    return left;
  }

  /** Where it has not ended, as far as it should have. */
  private Set<ShardId> settle(
      AtomicTransaction first, ShardSessions sessions, Limits limits, String by) {
    Optional<AtomicTransaction> transaction = Optional.of(first);
    int most = STEPS + first.participants().size();
    for (int step = 0; step < most && transaction.isPresent(); step++) {
      AtomicTransaction now = transaction.get();
      Sight sight = sessions.look(shards(now.participants()));
      Settling settling = new Settling(now, sight, sessions, by);
      if (!Resolution.next(now, sight, limits).match(settling)) {
        return settling.left;
      }
      transaction = services.log().find(now.id());
    }
    return transaction.map(Resolver::shards).orElse(Set.of());
  }

  private static Set<ShardId> shards(AtomicTransaction transaction) {
    return shards(transaction.participants());
  }

  private static SortedSet<ShardId> shards(List<Participant> participants) {
    return participants.stream()
        .map(Participant::shard)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Does one step; true when the next one should be asked for. */
  private final class Settling implements Resolution.Cases<Boolean> {
    private final AtomicTransaction transaction;
    private final Sight sight;
    private final ShardSessions sessions;
    private final String by;

    /** Where it goes no further now. */
    private final Set<ShardId> left = new TreeSet<>();

    private Settling(
        AtomicTransaction transaction, Sight sight, ShardSessions sessions, String by) {
      this.transaction = transaction;
      this.sight = sight;
      this.sessions = sessions;
      this.by = by;
    }

    @Override
    public Boolean rest() {
      return false;
    }

    @Override
    public Boolean decideAbort() {
      services.log().decide(transaction.id(), Decision.ABORT, by);
      return true;
    }

    @Override
    public Boolean end(Decision decision, List<Participant> participants) {
      for (Participant participant : participants) {
        if (!end(decision, participant)) {
          left.add(participant.shard());
        }
      }
      return left.isEmpty();
    }

    private boolean end(Decision decision, Participant participant) {
      PreparedTransaction prepared = sight.prepared(participant).orElseThrow();
      Optional<Answer> answer =
          sessions.end(
              participant.shard(),
              participant.database(),
              participant.gid(),
              prepared.owner().orElse(participant.role()),
              decision);
      answer.ifPresent(
          got ->
              log.info(
                  "prepared transaction {} transaction={} part={} shard={} role={} answer={}",
                  decision == Decision.COMMIT ? "committed" : "rolled back",
                  transaction.id(),
                  participant.part().word(),
                  participant.shard(),
                  participant.role(),
                  got));
      return answer.isPresent() && answer.get() != Answer.BUSY;
    }

    @Override
    public Boolean await(List<Participant> silent) {
      log.warn(
          "transaction waits for shards transaction={} shards={}",
          transaction.id(),
          shards(silent));
      left.addAll(shards(silent));
      return false;
    }

    @Override
    public Boolean finish() {
      services.log().finish(List.of(transaction.id()));
      transaction.decided().ifPresent(this::finished);
      return false;
    }

    private void finished(AtomicTransaction.Decided decided) {
      counts.settled(decided.decision());
      log.info(
          "transaction settled transaction={} decision={} decided_by={} settled_by={} router={}"
              + " age_seconds={}",
          transaction.id(),
          decided.decision().word(),
          decided.by(),
          by,
          transaction.router(),
          transaction.age().toSeconds());
    }

    @Override
    public Boolean forget() {
      services.log().forget(List.of(transaction.id()));
      return false;
    }
  }

  private void unknown(Sight sight, List<AtomicTransaction> all) {
    Set<String> known = all.stream().map(AtomicTransaction::id).collect(Collectors.toSet());
    Map<String, PreparedTransaction> unknown = new TreeMap<>();
    for (PreparedTransaction prepared : sight.all()) {
      String id = prepared.gid().transaction();
      if (prepared.gid().cluster().equals(services.clusterId())
          && !known.contains(id)
          && services.log().find(id).isEmpty()) {
        unknown.put(prepared.gid().toString(), prepared);
      }
    }
    counts.unknown(unknown.size());
    reported.retainAll(unknown.keySet());
    unknown.forEach(
        (gid, prepared) -> {
          if (reported.add(gid)) {
            log.warn(
                "prepared transaction that the catalog does not know gid={} role={} age_seconds={};"
                    + " pgconcord tx resolve {} --commit or --abort ends it",
                gid,
                prepared.owner().orElse("(dropped)"),
                prepared.age().toSeconds(),
                prepared.gid().transaction());
          }
        });
  }
}
