package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.Suspects;
import org.pgconcord.router.tx.Outcomes.Outcome;
import org.pgconcord.router.wire.TransactionStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one transaction over its backends: readers, then PRE, then each MAIN, then POST, and at
 * last those that only hold locks.
 *
 * <h2>What is promised after each failure</h2>
 *
 * <ul>
 *   <li>A reader fails, or a deferred constraint, or a key lock or removal cannot be had: nothing
 *       is committed. All is rolled back and the client is told why.
 *   <li>PRE fails: no MAIN is committed. What PRE may have committed is surplus; its keys are
 *       recorded as suspects, for no owner's stream will ever show them. All else is rolled back.
 *   <li>The first MAIN answers with an error: it is rolled back, and so are those after it; PRE's
 *       entries are suspects.
 *   <li>A later MAIN answers with an error: those before it are committed, it and those after it
 *       are not. POST is rolled back whole, since an entry may go only when the deletion of its row
 *       has committed; both kinds of keys are suspects. The client gets each shard's outcome.
 *   <li>A MAIN's connection ends before its answer: nobody here can know. As above, but that
 *       shard's outcome is unknown (08007). Nothing is tried again.
 *   <li>POST fails: the rows are committed and the client is told so. Entries that should have gone
 *       are surplus, and suspects; a read through one finds no row.
 *   <li>A keeper's connection ends after the first commit: its locks are gone early, and nothing
 *       else. One that answers with an error (a serialization failure) is told like a MAIN.
 * </ul>
 *
 * A crash of this process is the same list without its last words: the order alone leaves at most
 * surplus, never a row without its entry.
 *
 * <p>Readers come first because a failing one may still turn the whole into a rollback. For the
 * same reason deferred constraints are checked on every MAIN before anything commits when there are
 * several. MAINs commit one by one: an error then keeps all that follow from committing.
 *
 * <p>A keeper is a shard whose rows the client has locked and not written. Whoever waits for such a
 * row must find everything that was written under its lock, on whatever shard: so the lock goes
 * last. Before anything commits each keeper answers that it still has its transaction.
 */
final class CommitSequence implements CommitSteps {
  private static final Logger LOG = LoggerFactory.getLogger(CommitSequence.class);

  private enum Phase {
    BEFORE,
    PRE,
    MAIN,
    POST,
    RELEASE
  }

  /**
   * What is committed.
   *
   * @param mains the client backends of the shards that were written, in the order of their commits
   * @param keepers those of the shards on which rows were locked and none written
   * @param defers a constraint may have been put off to COMMIT
   */
  record Work(
      Collection<BackendConnection> readers,
      List<BackendConnection> mains,
      List<BackendConnection> keepers,
      @Nullable EntryTransaction entries,
      boolean defers) {
    Work {
      readers = List.copyOf(readers);
      mains = List.copyOf(mains);
      keepers = List.copyOf(keepers);
    }
  }

  private final Work work;
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private final @Nullable EntryTransaction entries;
  private final Suspects suspects;
  private final TransactionMetrics metrics;
  private final BiConsumer<Outcomes, Throwable> uneven;
  private final Consumer<Duration> hurry;
  private final Outcomes outcomes;
  private final List<BackendConnection> committed = new ArrayList<>();
  private Phase phase = Phase.BEFORE;

  /**
   * @param uneven remembers an end that is not the same on all of them
   * @param hurry from now on shards must answer within this
   */
  CommitSequence(
      Work work,
      Suspects suspects,
      TransactionMetrics metrics,
      BiConsumer<Outcomes, Throwable> uneven,
      Consumer<Duration> hurry) {
    this.work = work;
    work.mains().forEach(main -> this.mains.put(main.shard(), main));
    this.entries = work.entries();
    this.suspects = suspects;
    this.metrics = metrics;
    this.uneven = uneven;
    this.hurry = hurry;
    this.outcomes = new Outcomes(List.copyOf(this.mains.keySet()));
  }

  @Override
  public boolean underWay() {
    return phase != Phase.BEFORE;
  }

  @Override
  public boolean pending() {
    return false;
  }

  @Override
  public Outcomes outcomes() {
    return outcomes;
  }

  @Override
  public List<BackendConnection> committed() {
    return committed;
  }

  /**
   * A lone MAIN needs no check before: its own COMMIT is one, and may take as long. Nor does one
   * behind a PRE where no table has anything to defer. That is known as of some seconds ago; a
   * constraint that is younger fails COMMIT itself then, like any first MAIN's.
   */
  @Override
  public CompletableFuture<Void> run() {
    boolean alone =
        mains.size() < 2 && work.keepers().isEmpty() && (entries == null || !entries.apart());
    boolean nothingDeferred = !work.defers() && mains.size() < 2 && work.keepers().isEmpty();
    DeferredConstraints checked =
        DeferredConstraints.of(alone || nothingDeferred ? List.of() : mains.values());
    CompletableFuture<Void> all =
        (mains.size() > 1 ? checked.done() : done())
            .thenCompose(before -> commitReaders())
            .thenCompose(before -> secure())
            .thenCompose(before -> checked.done())
            .thenRun(() -> hurryUnless(alone))
            .thenCompose(before -> commitPre())
            .thenCompose(before -> commitMains())
            .thenCompose(before -> commitPost())
            .thenCompose(before -> release());
    return all.handle((done, failure) -> failure == null ? null : checked.first(failure))
        .thenCompose(this::judge);
  }

  private void hurryUnless(boolean alone) {
    if (!alone) {
      hurry.accept(ANY);
    }
  }

  private CompletableFuture<Void> commitReaders() {
    return CompletableFuture.allOf(
        Stream.concat(
                work.readers().stream().map(this::commit),
                work.keepers().stream().map(CommitSequence::requireOpen))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** A server that has lost the transaction has let its locks go. */
  private static CompletableFuture<Void> requireOpen(BackendConnection keeper) {
    return keeper
        .query("SELECT", List.of())
        .thenAccept(
            answer -> {
              if (keeper.status() != TransactionStatus.OPEN) {
                throw ErrorCode.TX_ROLLED_BACK.because(
                    "shard " + keeper.shard() + " has let go of the rows that were locked there");
              }
            });
  }

  private CompletableFuture<Void> secure() {
    return entries == null ? done() : entries.secure(mains);
  }

  private CompletableFuture<Void> commitPre() {
    phase = Phase.PRE;
    return entries == null ? done() : entries.commitPre();
  }

  private CompletableFuture<Void> commitMains() {
    CompletableFuture<Void> all = done();
    for (BackendConnection main : mains.values()) {
      all = all.thenCompose(before -> commitMain(main));
    }
    return all;
  }

  private CompletableFuture<Void> commitMain(BackendConnection main) {
    phase = Phase.MAIN;
    if (!main.open()) {
      return CompletableFuture.failedFuture(
          ErrorCode.TX_ROLLED_BACK.because(
              "the connection to shard "
                  + main.shard()
                  + " ended before the transaction committed"));
    }
    outcomes.set(main.shard(), Outcome.UNKNOWN);
    return commit(main)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                outcomes.set(main.shard(), Outcome.COMMITTED);
              } else if (answered(Failures.cause(failure))) {
                outcomes.set(main.shard(), Outcome.ROLLED_BACK);
              }
            });
  }

  private CompletableFuture<Void> commitPost() {
    phase = Phase.POST;
    return entries == null ? done() : entries.commitPost();
  }

  private CompletableFuture<Void> release() {
    phase = Phase.RELEASE;
    return CompletableFuture.allOf(
        work.keepers().stream().map(this::release).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> release(BackendConnection keeper) {
    return commit(keeper)
        .whenComplete(
            (done, failure) -> {
              if (failure != null && answered(Failures.cause(failure))) {
                outcomes.set(keeper.shard(), Outcome.ROLLED_BACK);
              }
            });
  }

  private CompletableFuture<Void> commit(BackendConnection backend) {
    return backend.query("COMMIT", List.of()).thenAccept(result -> require(backend, result));
  }

  /** COMMIT of a transaction that has failed on the server is answered ROLLBACK, without error. */
  private void require(BackendConnection backend, QueryResult result) {
    if (!result.tag().equals("COMMIT")) {
      throw ErrorCode.TX_ROLLED_BACK.because(
          "shard " + backend.shard() + " rolled the transaction back");
    }
    committed.add(backend);
  }

  private CompletableFuture<Void> judge(@Nullable Throwable failure) {
    if (failure == null) {
      return done();
    }
    return switch (phase) {
      case BEFORE -> CompletableFuture.failedFuture(failure);
      case PRE -> {
        suspect(true, false);
        yield CompletableFuture.failedFuture(failure);
      }
      case MAIN -> mainFailed(Failures.cause(failure));
      case POST -> {
        suspect(false, true);
        LOG.warn(
            "entries were not removed after a commit cause={}", Failures.cause(failure).toString());
        yield done();
      }
      case RELEASE -> {
        if (outcomes.any(Outcome.ROLLED_BACK)) {
          yield mainFailed(Failures.cause(failure));
        }
        LOG.info(
            "locks ended before their transaction cause={}", Failures.cause(failure).toString());
        yield done();
      }
    };
  }

  private CompletableFuture<Void> mainFailed(Throwable cause) {
    boolean unknown = outcomes.any(Outcome.UNKNOWN);
    if (!unknown && !outcomes.any(Outcome.COMMITTED)) {
      suspect(true, false);
      return CompletableFuture.failedFuture(cause);
    }
    suspect(true, true);
    if (unknown) {
      metrics.outcomeUnknown();
    } else {
      metrics.partiallyCommitted();
    }
    LOG.warn(
        "a commit ended in part or without an answer outcomes=\"{}\" cause={}",
        outcomes.words(),
        cause.toString());
    uneven.accept(outcomes, cause);
    return CompletableFuture.failedFuture(outcomes.toException(cause));
  }

  /**
   * MAIN itself has said that it is rolled back. The FATAL error of a backend that was terminated
   * says nothing: it may come between the commit and its answer.
   */
  private static boolean answered(Throwable cause) {
    return (cause instanceof ShardErrorException error && !error.fields().fatal())
        || Failures.isCode(cause, ErrorCode.TX_ROLLED_BACK);
  }

  private void suspect(boolean added, boolean removed) {
    if (entries == null) {
      return;
    }
    if (added) {
      entries.suspectAdded(suspects);
    }
    if (removed) {
      entries.suspectRemoved(suspects);
    }
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
