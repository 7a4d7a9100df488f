package org.pgconcord.config.error;

/** Who has to act on an error. */
public enum ErrorCategory {
  /** The statement, command or document is wrong. */
  USER,
  /** Correct, but not supported or not safe; the hint says what to do instead. */
  REFUSED,
  /** A shard did not answer, or answered with what cannot be passed on as it is. */
  SHARD,
  /** A limit of this process or machine was reached. */
  RESOURCES,
  /** A broken promise of pgConcord itself. */
  BUG
}
