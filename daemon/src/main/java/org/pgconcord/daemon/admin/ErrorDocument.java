package org.pgconcord.daemon.admin;

import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCategory;
import org.pgconcord.config.error.ErrorCode;

/** An error as the API and {@code --output json} write it: {@code {"error": {...}}}. */
public record ErrorDocument(Fields error) {
  public record Fields(
      String code, String sqlstate, String message, @Nullable String detail, String hint) {}

  public static ErrorDocument of(ConcordException e) {
    return new ErrorDocument(
        new Fields(e.code().id(), e.code().sqlState(), e.message(), e.detail(), e.hint()));
  }

  /** Any failure as one of the catalogue's errors. */
  public static ConcordException known(Throwable failure) {
    if (failure instanceof ConcordException known) {
      return known;
    }
    return ErrorCode.INTERNAL.because(String.valueOf(failure)).withCause(failure);
  }

  static int httpStatus(ErrorCode code) {
    return switch (code.category()) {
      case USER -> 400;
      case REFUSED -> 409;
      case SHARD, RESOURCES -> 503;
      case BUG -> 500;
    };
  }

  static boolean worthLogging(ErrorCode code) {
    return code.category() == ErrorCategory.BUG;
  }
}
