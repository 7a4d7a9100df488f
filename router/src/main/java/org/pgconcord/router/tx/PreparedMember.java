package org.pgconcord.router.tx;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.atomic.Participant;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.backend.ShardErrorException;

/** One participant of a commit in two phases, and what its backend has said so far. */
final class PreparedMember {
  private static final String UNDEFINED_OBJECT = "42704";

  private enum State {
    OPEN,
    PREPARED,
    /** The answer to PREPARE was lost. */
    LOST,
    ENDED
  }

  private final Participant participant;
  private final BackendConnection backend;
  private State state = State.OPEN;

  PreparedMember(Participant participant, BackendConnection backend) {
    this.participant = participant;
    this.backend = backend;
  }

  Participant participant() {
    return participant;
  }

  BackendConnection backend() {
    return backend;
  }

  boolean prepared() {
    return state == State.PREPARED;
  }

  /** Nobody here knows whether it is prepared. */
  boolean lost() {
    return state == State.LOST;
  }

  /** Its end is known. */
  boolean ended() {
    return state == State.ENDED;
  }

  /** The backend is not known to be in the transaction any more. */
  boolean left() {
    return state != State.OPEN;
  }

  CompletableFuture<Void> prepare() {
    if (!backend.open()) {
      return CompletableFuture.failedFuture(notPrepared());
    }
    return tagged(backend, "PREPARE TRANSACTION " + quoted(), "PREPARE TRANSACTION")
        .whenComplete(
            (prepared, failure) -> {
              if (failure == null) {
                state = State.PREPARED;
              } else if (!answered(Failures.cause(failure))) {
                state = State.LOST;
              }
            });
  }

  private ConcordException notPrepared() {
    return ErrorCode.TX_ROLLED_BACK.because(
        "the connection to shard "
            + participant.shard()
            + " ended before the transaction was prepared");
  }

  /** One that does not exist has been ended by others, who follow the same decision. */
  CompletableFuture<Void> end(String command) {
    if (state != State.PREPARED || !backend.open()) {
      return CompletableFuture.failedFuture(
          ErrorCode.SHARD_CONNECTION_LOST.because("no connection to shard " + participant.shard()));
    }
    return after(
        tagged(backend, command + " " + quoted(), command),
        (ended, failure) -> {
          if (failure == null || absent(Failures.cause(failure))) {
            state = State.ENDED;
            return CompletableFuture.completedFuture(null);
          }
          return CompletableFuture.failedFuture(failure);
        });
  }

  private String quoted() {
    return Identifiers.literal(participant.gid().toString());
  }

  private static boolean absent(Throwable cause) {
    return cause instanceof ShardErrorException error
        && error.fields().sqlState().equals(UNDEFINED_OBJECT);
  }

  /** The shard itself has said that it did not do it. A FATAL may come after the deed. */
  static boolean answered(Throwable cause) {
    return (cause instanceof ShardErrorException error && !error.fields().fatal())
        || Failures.isCode(cause, ErrorCode.TX_ROLLED_BACK);
  }

  /** PREPARE of a transaction that has failed on the server is answered ROLLBACK, without error. */
  static CompletableFuture<Void> tagged(BackendConnection backend, String sql, String wanted) {
    return backend.query(sql, List.of()).thenAccept(result -> require(backend, result, wanted));
  }

  private static void require(BackendConnection backend, QueryResult result, String wanted) {
    if (!result.tag().equals(wanted)) {
      throw ErrorCode.TX_ROLLED_BACK.because(
          "shard " + backend.shard() + " rolled the transaction back");
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the inner future is the answer
  static <T> CompletableFuture<Void> after(
      CompletableFuture<T> first,
      BiFunction<@Nullable T, @Nullable Throwable, CompletableFuture<Void>> next) {
    return first.handle(next).thenCompose(Function.identity());
  }
}
