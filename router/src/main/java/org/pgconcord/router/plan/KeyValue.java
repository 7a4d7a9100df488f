package org.pgconcord.router.plan;

/** The bound value of a {@link KeyOperand}. */
public sealed interface KeyValue {
  /** As PostgreSQL prints a value of the column's type, or another text that it reads alike. */
  record Text(String value) implements KeyValue {}

  /** NULL: equal to nothing, and never stored in a key. */
  record Null() implements KeyValue {}

  /**
   * Not provably one value of the column's type.
   *
   * @param missing true when the only reason is that the parameter has no value yet
   */
  record NotConvertible(String reason, boolean missing) implements KeyValue {
    NotConvertible(String reason) {
      this(reason, false);
    }
  }
}
