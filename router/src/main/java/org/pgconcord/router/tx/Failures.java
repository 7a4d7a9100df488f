package org.pgconcord.router.tx;

import java.util.concurrent.CompletionException;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.ShardErrorException;
import org.pgconcord.router.wire.ErrorFields;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** From what a future failed with to what a client is told. */
public final class Failures {
  private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

  private Failures() {}

  /** The failure itself, without the wrapping that futures add. */
  public static Throwable cause(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  static boolean isCode(Throwable failure, ErrorCode code) {
    return failure instanceof ConcordException error && error.code() == code;
  }

  /** A shard's error whole, an error of the catalogue, or a bug. */
  public static ErrorFields fields(Throwable failure) {
    Throwable cause = cause(failure);
    if (cause instanceof ShardErrorException shard) {
      return shard.fields();
    }
    if (cause instanceof ConcordException error) {
      return ErrorFields.of(error);
    }
    LOG.error("a statement failed in a way that nobody foresaw", cause);
    return ErrorFields.of(ErrorCode.INTERNAL.because("unexpected " + cause));
  }
}
