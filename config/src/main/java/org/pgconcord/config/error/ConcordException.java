package org.pgconcord.config.error;

import org.jspecify.annotations.Nullable;

/**
 * An error of the catalogue with the facts of this case. The message says what and where, in one
 * sentence without secrets; detail and hint follow PostgreSQL's use of those fields. Without a hint
 * of its own the catalogue's remedy is the hint.
 */
public final class ConcordException extends RuntimeException {
  private final ErrorCode code;
  private final @Nullable String detail;
  private final @Nullable String hint;
  private final @Nullable String constraint;

  public ConcordException(ErrorCode code, String message) {
    this(code, message, null, null, null, null);
  }

  private ConcordException(
      ErrorCode code,
      String message,
      @Nullable String detail,
      @Nullable String hint,
      @Nullable String constraint,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.detail = detail;
    this.hint = hint;
    this.constraint = constraint;
  }

  public ConcordException withDetail(String text) {
    return new ConcordException(code, message(), text, hint, constraint, getCause());
  }

  public ConcordException withHint(String text) {
    return new ConcordException(code, message(), detail, text, constraint, getCause());
  }

  public ConcordException withCause(Throwable cause) {
    return new ConcordException(code, message(), detail, hint, constraint, cause);
  }

  /** Names what is violated, as clients ask for it that tell such errors apart. */
  public ConcordException withConstraint(String name) {
    return new ConcordException(code, message(), detail, hint, name, getCause());
  }

  public ErrorCode code() {
    return code;
  }

  public String message() {
    return String.valueOf(getMessage());
  }

  public @Nullable String detail() {
    return detail;
  }

  public @Nullable String constraint() {
    return constraint;
  }

  public String hint() {
    return hint != null ? hint : code.remedy();
  }
}
