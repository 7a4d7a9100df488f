package org.pgconcord.daemon.transactions;

import java.util.concurrent.atomic.AtomicLong;
import org.pgconcord.config.atomic.Decision;

/** What the resolver has seen and done, for the metrics. Any thread reads it. */
public final class ResolverCounts {
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong rolledBack = new AtomicLong();
  private volatile long open;
  private volatile double oldestSeconds;
  private volatile long unknown;

  void settled(Decision decision) {
    (decision == Decision.COMMIT ? committed : rolledBack).incrementAndGet();
  }

  void open(long transactions, double oldest) {
    open = transactions;
    oldestSeconds = oldest;
  }

  void unknown(long prepared) {
    unknown = prepared;
  }

  /** Transactions that it has brought to this end. */
  public long settledSoFar(Decision decision) {
    return (decision == Decision.COMMIT ? committed : rolledBack).get();
  }

  /** Transactions that have not ended, a living router's too. */
  public long openNow() {
    return open;
  }

  /** Age of the oldest of them. */
  public double oldestSeconds() {
    return oldestSeconds;
  }

  /** Prepared transactions of this cluster that the catalog does not know. */
  public long unknownNow() {
    return unknown;
  }
}
