package org.pgconcord.router;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgconcord.router.session.SessionMetrics;
import org.pgconcord.router.tx.TransactionMetrics;

/** The meters of the router. Labels never come from clients. */
public final class RouterMetrics implements SessionMetrics, TransactionMetrics {
  private final AtomicInteger sessions = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final Counter waits;
  private final Counter expired;
  private final Counter opened;
  private final Counter refused;
  private final Counter statements;
  private final Counter errors;
  private final Counter cancels;
  private final Counter partialCommits;
  private final Counter unknownOutcomes;
  private final Counter blocks;

  public RouterMetrics(MeterRegistry registry) {
    Gauge.builder("pgconcord.router.sessions", sessions, AtomicInteger::get)
        .description("Clients that are logged in.")
        .register(registry);
    Gauge.builder("pgconcord.router.failover.waiting", waiting, AtomicInteger::get)
        .description("Connections to shards without a primary that statements wait for.")
        .register(registry);
    waits =
        counter(
            registry, "failover.waits", "Times that somebody has waited for a shard's primary.");
    expired =
        counter(
            registry,
            "failover.expired",
            "Waits for a shard's primary in which none was found in time.");
    opened = counter(registry, "sessions.opened", "Clients that have logged in.");
    refused = counter(registry, "sessions.refused", "Connections that ended before they were in.");
    statements = counter(registry, "statements", "Statements that clients have run.");
    errors = counter(registry, "errors", "Statements that ended with an error.");
    cancels = counter(registry, "cancels", "Cancel requests with a right key.");
    partialCommits =
        counter(
            registry, "commits.partial", "Transactions committed on some of their shards only.");
    unknownOutcomes = counter(registry, "commits.unknown", "Commits that a shard did not answer.");
    blocks = counter(registry, "number.blocks", "Blocks of sequences' numbers reserved.");
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder("pgconcord.router." + name).description(description).register(registry);
  }

  @Override
  public void sessionOpened() {
    sessions.incrementAndGet();
    opened.increment();
  }

  @Override
  public void sessionClosed() {
    sessions.decrementAndGet();
  }

  @Override
  public void loginRefused() {
    refused.increment();
  }

  @Override
  public void statementEnded(boolean failed) {
    statements.increment();
    if (failed) {
      errors.increment();
    }
  }

  @Override
  public void partiallyCommitted() {
    partialCommits.increment();
  }

  @Override
  public void outcomeUnknown() {
    unknownOutcomes.increment();
  }

  @Override
  public void blockReserved() {
    blocks.increment();
  }

  @Override
  public void waitBegan() {
    waiting.incrementAndGet();
    waits.increment();
  }

  @Override
  public void waitEnded(boolean noneFound) {
    waiting.decrementAndGet();
    if (noneFound) {
      expired.increment();
    }
  }

  @Override
  public void cancelled() {
    cancels.increment();
  }
}
