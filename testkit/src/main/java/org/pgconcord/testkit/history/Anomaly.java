package org.pgconcord.testkit.history;

/** Something that an isolation level forbids, or that no level allows. */
public record Anomaly(Kind kind, String seen) {
  /** In Adya's terms; the first four are about lists, whatever the level. */
  public enum Kind {
    /** A transaction does not read what it has itself read and appended before. */
    INTERNAL,
    /** A value is in a list twice, or was appended by nobody. */
    IMPOSSIBLE_VALUE,
    /** Two reads of one list of which neither begins with the other. */
    INCOMPATIBLE_ORDER,
    /** An acknowledged append is not in the list at the end. */
    LOST_APPEND,
    /** A value of an aborted transaction was read. */
    G1A,
    /** A list was read between two appends of one transaction. */
    G1B,
    /** Transactions overwrite each other in a circle. */
    G0,
    /** Transactions overwrite and read each other in a circle. */
    G1C,
    /** Two transactions append to what both have read: a circle on one list. */
    LOST_UPDATE,
    /** A circle in which exactly one has not seen another's write. */
    G_SINGLE,
    /** A circle in which several have not. */
    G2
  }

  @Override
  public String toString() {
    return kind + ": " + seen;
  }
}
