package org.pgconcord.testkit.history;

import java.util.List;

/**
 * What one client did in one transaction, in order, and what it was told of the end.
 *
 * @param id names it in reports; unique
 */
public record Transaction(int id, List<Op> ops, Outcome outcome) {
  /** How it ended for its client. */
  public enum Outcome {
    COMMITTED,
    ABORTED,
    /** Committed when somebody has seen what it wrote. */
    UNKNOWN
  }

  public Transaction {
    ops = List.copyOf(ops);
  }

  public static Transaction committed(int id, Op... ops) {
    return new Transaction(id, List.of(ops), Outcome.COMMITTED);
  }

  public static Transaction aborted(int id, Op... ops) {
    return new Transaction(id, List.of(ops), Outcome.ABORTED);
  }
}
