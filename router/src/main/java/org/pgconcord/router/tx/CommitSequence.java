package org.pgconcord.router.tx;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.Suspects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits one transaction over its backends: readers, then PRE, then MAIN, then POST.
 *
 * <h2>What is promised after each failure</h2>
 *
 * <ul>
 *   <li>A reader fails, or a key lock or removal cannot be had: nothing is committed. All is rolled
 *       back and the client is told why.
 *   <li>PRE fails: MAIN is not committed. What PRE may have committed is surplus; its keys are
 *       recorded as suspects, for no owner's stream will ever show them. All else is rolled back.
 *   <li>MAIN answers with an error: it is rolled back, PRE's entries are suspects.
 *   <li>MAIN's connection ends before its answer: nobody here can know. POST is rolled back, since
 *       an entry may go only when its row is gone; both kinds of keys are suspects; the client is
 *       told that the outcome is unknown (08007). Nothing is tried again.
 *   <li>POST fails: the rows are committed and the client is told so. Entries that should have gone
 *       are surplus, and suspects; a read through one finds no row.
 * </ul>
 *
 * A crash of this process is the same list without its last words: the order alone leaves at most
 * surplus, never a row without its entry.
 *
 * <p>Readers come first because a failing one may still turn the whole into a rollback.
 */
final class CommitSequence {
  private static final Logger LOG = LoggerFactory.getLogger(CommitSequence.class);

  private enum Phase {
    BEFORE,
    PRE,
    MAIN,
    POST
  }

  private final Collection<BackendConnection> readers;
  private final @Nullable BackendConnection main;
  private final @Nullable EntryTransaction entries;
  private final Suspects suspects;
  private Phase phase = Phase.BEFORE;

  CommitSequence(
      Collection<BackendConnection> readers,
      @Nullable BackendConnection main,
      @Nullable EntryTransaction entries,
      Suspects suspects) {
    this.readers = List.copyOf(readers);
    this.main = main;
    this.entries = entries;
    this.suspects = suspects;
  }

  /** Fails with what the client is told; backends may then still be inside a transaction. */
  CompletableFuture<Void> run() {
    CompletableFuture<Void> committed =
        commitReaders()
            .thenCompose(before -> secure())
            .thenCompose(before -> commitPre())
            .thenCompose(before -> commitMain())
            .thenCompose(before -> commitPost());
    return committed.handle((done, failure) -> failure).thenCompose(this::judge);
  }

  private CompletableFuture<Void> commitReaders() {
    return CompletableFuture.allOf(
        readers.stream().map(CommitSequence::commit).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> secure() {
    return entries == null || main == null ? done() : entries.secure(main);
  }

  private CompletableFuture<Void> commitPre() {
    phase = Phase.PRE;
    return entries == null ? done() : entries.commitPre();
  }

  private CompletableFuture<Void> commitMain() {
    if (main != null && !main.open()) {
      return CompletableFuture.failedFuture(
          ErrorCode.TX_ROLLED_BACK.because(
              "the connection to shard "
                  + main.shard()
                  + " ended before the transaction committed"));
    }
    phase = Phase.MAIN;
    return main == null ? done() : commit(main);
  }

  private CompletableFuture<Void> commitPost() {
    phase = Phase.POST;
    return entries == null ? done() : entries.commitPost();
  }

  private static CompletableFuture<Void> commit(BackendConnection backend) {
    return backend.query("COMMIT", List.of()).thenAccept(result -> require(backend, result));
  }

  /** COMMIT of a transaction that has failed on the server is answered ROLLBACK, without error. */
  private static void require(BackendConnection backend, QueryResult result) {
    if (!result.tag().equals("COMMIT")) {
      throw ErrorCode.TX_ROLLED_BACK.because(
          "shard " + backend.shard() + " rolled the transaction back");
    }
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
      case MAIN -> mainFailed(failure);
      case POST -> {
        suspect(false, true);
        LOG.warn(
            "entries were not removed after a commit cause={}", Failures.cause(failure).toString());
        yield done();
      }
    };
  }

  private CompletableFuture<Void> mainFailed(Throwable failure) {
    Throwable cause = Failures.cause(failure);
    if (answered(cause)) {
      suspect(true, false);
      return CompletableFuture.failedFuture(cause);
    }
    suspect(true, true);
    String shard = main == null ? "" : main.shard().uid();
    LOG.warn("the outcome of a commit is unknown shard={} cause={}", shard, cause.toString());
    return CompletableFuture.failedFuture(
        ErrorCode.TX_OUTCOME_UNKNOWN
            .because("the connection to shard " + shard + " ended while it committed")
            .withDetail("The transaction may or may not be committed there.")
            .withCause(cause));
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
