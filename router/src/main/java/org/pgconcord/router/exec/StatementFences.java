package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.Fences.Fence;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.StatementFacts;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;

/**
 * What a session's statements have to do with fences: which ones a statement passes, by the tables
 * that it names and the state that it was planned under; that none starts on a fenced table while
 * the router has no lease; and the wait for the state that a fence knows of and this router does
 * not yet. On the session's event loop.
 */
final class StatementFences {
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long LOOK_MILLIS = 10;

  private final RouterEpochs epochs;
  private final String database;
  private final Transaction tx;
  private RoutingState planned;

  StatementFences(RouterEpochs epochs, String database, Transaction tx) {
    this.epochs = epochs;
    this.database = database;
    this.tx = tx;
    this.planned = epochs.current();
  }

  /** The statement is about to begin under this state. */
  void prepare(StatementFacts facts, RoutingState state) {
    planned = state;
    Fences fences = state.fences();
    boolean fenced = facts.tables().stream().anyMatch(table -> fences.covers(database, table));
    if (fenced && !epochs.leased()) {
      throw lapsed();
    }
    boolean writes = facts.mayWrite() && !tx.readsReplicas();
    tx.fence(fenced && writes ? of(facts, fences) : List.of());
  }

  /** In the order of the tables' names: two writers never meet crosswise. */
  private List<Fence> of(StatementFacts facts, Fences fences) {
    return facts.tables().stream()
        .distinct()
        .sorted()
        .flatMap(table -> fences.of(database, table).stream())
        .toList();
  }

  private static ConcordException lapsed() {
    return ErrorCode.LEASE_LAPSED.because(
        "this router has no lease, so that it cannot know whether an index has changed its state");
  }

  /** What a client hears whose transaction is older than the step. */
  static ConcordException passed(ErrorFields why) {
    return ErrorCode.TX_EPOCH_PASSED
        .because("an index of the table has changed its state since the transaction began")
        .withDetail(why.message());
  }

  private boolean isNews(RoutingState state) {
    return !state.fences().equals(planned.fences()) || !state.stands().equals(planned.stands());
  }

  /**
   * Goes on when the router knows newer epochs, or other servers, than the statement was planned
   * under, or has lost its lease, which the next attempt finds out.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  void awaitNewer(
      ScheduledExecutorService loop,
      long begun,
      BooleanSupplier interrupted,
      Runnable goOn,
      Consumer<ErrorFields> fail) {
    if (interrupted.getAsBoolean()) {
      fail.accept(ErrorFields.plain("ERROR", "57014", "canceling statement due to user request"));
    } else if (!epochs.leased() || isNews(epochs.current())) {
      goOn.run();
    } else if (System.nanoTime() - begun > PATIENCE.toNanos()) {
      fail.accept(
          ErrorFields.of(
              ErrorCode.TX_EPOCH_PASSED.because(
                  "the router has not heard of an index's new state in time")));
    } else {
      loop.schedule(
          () -> awaitNewer(loop, begun, interrupted, goOn, fail),
          LOOK_MILLIS,
          TimeUnit.MILLISECONDS);
    }
  }
}
