package org.pgconcord.daemon;

import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Supplier;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.atomic.Resolution;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.transactions.Resolver;
import org.pgconcord.daemon.transactions.ResolverCounts;
import org.pgconcord.daemon.transactions.TransactionOperations;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.HandOvers;
import org.pgconcord.router.tx.PartialCommitLog;
import org.pgconcord.router.tx.StoredDecisions;

/** Puts together what commits in two phases, and what ends such transactions when that did not. */
final class TransactionParts {
  private static final Duration OPEN_EVERY = Duration.ofSeconds(5);
  private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);

  private final Supplier<Connection> atHome;
  private final String clusterId;
  private final Resolver resolver;
  private final TransactionOperations operations;

  /**
   * @param atHome connections to the catalog
   * @param databases the logical databases of the topology that rules
   */
  TransactionParts(
      Supplier<Connection> atHome,
      ShardConnections connections,
      String clusterId,
      Set<ShardId> shards,
      Supplier<SortedSet<String>> databases,
      Closing closing) {
    this.atHome = atHome;
    this.clusterId = clusterId;
    DecisionLog log = closing.add("decision log", new DecisionLog(atHome));
    Resolver.Services services =
        new Resolver.Services(
            log, connections, clusterId, shards, databases, Resolution.Limits.DEFAULT);
    this.resolver = new Resolver(services);
    this.operations =
        new TransactionOperations(
            services, resolver, closing.add("partial commits", new PartialCommits(atHome)));
  }

  /** What this process's router commits in two phases by, under a name of its own. */
  Decisions decisions(String serviceRole, Duration answerTimeout, Closing closing) {
    String router = GlobalId.random(new SecureRandom());
    return closing.add(
        "decisions",
        new StoredDecisions(
            new StoredDecisions.Names(clusterId, router, serviceRole),
            new DecisionLog(RouterPresence.shown(router, atHome)),
            new PartialCommitLog(new PartialCommits(atHome)),
            new HandOvers(
                transactions -> resolver.settleSoon(transactions, "resolver"),
                () -> HandOvers.HELD),
            resolver::refusing,
            answerTimeout));
  }

  /** Settles what an earlier run left, then goes on looking; on a thread of its own. */
  void start(Closing closing) {
    Ticks ticks = closing.add("resolver", new Ticks("resolver"));
    ticks.once("resolver sweep", resolver::sweep);
    ticks.every(OPEN_EVERY, "resolver", resolver::settleOpen);
    ticks.every(SWEEP_EVERY, "resolver sweep", resolver::sweep);
  }

  ResolverCounts counts() {
    return resolver.counts();
  }

  TransactionOperations operations() {
    return operations;
  }
}
