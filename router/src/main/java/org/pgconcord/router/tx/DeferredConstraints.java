package org.pgconcord.router.tx;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.ShardErrorException;

/**
 * What clients have deferred to COMMIT, done before it. It may fail, while all can still be rolled
 * back; and it may take long, so that afterwards a COMMIT that is not answered soon is one that
 * hangs. Sent at once and not waited for: whatever follows on these backends comes after it.
 */
final class DeferredConstraints {
  private static final String AFTERMATH = "25P02";

  private final CompletableFuture<Void> done;

  private DeferredConstraints(CompletableFuture<Void> done) {
    this.done = done;
  }

  static DeferredConstraints of(Collection<BackendConnection> mains) {
    return new DeferredConstraints(
        CompletableFuture.allOf(
            mains.stream()
                .map(main -> main.query("SET CONSTRAINTS ALL IMMEDIATE", List.of()))
                .toArray(CompletableFuture<?>[]::new)));
  }

  CompletableFuture<Void> done() {
    return done;
  }

  /** What came first: a statement behind a failed check says only that the transaction failed. */
  Throwable first(Throwable failure) {
    boolean aftermath =
        Failures.cause(failure) instanceof ShardErrorException error
            && error.fields().sqlState().equals(AFTERMATH);
    return aftermath && done.isCompletedExceptionally()
        ? done.handle((ok, cause) -> cause).join()
        : failure;
  }
}
