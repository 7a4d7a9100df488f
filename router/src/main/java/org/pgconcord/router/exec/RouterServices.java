package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.function.Supplier;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.entries.Suspects;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.CopyMarker;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.TransactionMetrics;

/**
 * What all sessions of a router share.
 *
 * @param marker stores marks of copies
 * @param metrics counts uneven ends of transactions
 * @param decisions remembers two-phase commits
 * @param replicas of the shards
 * @param statistics of the indexes' lookup tables, as last read
 * @param lockTimeout how long the router's own statements wait for a lock
 */
public record RouterServices(
    RouterEpochs epochs,
    StatementPlanner planner,
    LookupIndexes indexes,
    Suspects suspects,
    CopyMarker marker,
    TransactionMetrics metrics,
    Deadlocks deadlocks,
    Duration lockTimeout,
    Decisions decisions,
    Replicas replicas,
    Supplier<IndexStatistics> statistics) {

  public static final Duration DEFAULT_LOCK_TIMEOUT = Duration.ofSeconds(5);

  /** Of a router over shards without replicas, which knows no statistics. */
  public RouterServices(
      RouterEpochs epochs,
      StatementPlanner planner,
      LookupIndexes indexes,
      Suspects suspects,
      CopyMarker marker,
      TransactionMetrics metrics,
      Deadlocks deadlocks,
      Duration lockTimeout,
      Decisions decisions) {
    this(
        epochs,
        planner,
        indexes,
        suspects,
        marker,
        metrics,
        deadlocks,
        lockTimeout,
        decisions,
        Replicas.NONE,
        () -> IndexStatistics.NONE);
  }

  /** The same, of one that commits nothing in two phases. */
  public RouterServices(
      RouterEpochs epochs,
      StatementPlanner planner,
      LookupIndexes indexes,
      Suspects suspects,
      CopyMarker marker,
      TransactionMetrics metrics,
      Deadlocks deadlocks,
      Duration lockTimeout) {
    this(
        epochs,
        planner,
        indexes,
        suspects,
        marker,
        metrics,
        deadlocks,
        lockTimeout,
        Decisions.NONE);
  }
}
