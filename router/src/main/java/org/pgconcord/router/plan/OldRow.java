package org.pgconcord.router.plan;

import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Reads and locks the row that an UPDATE is about to change, by the UPDATE's own target and
 * condition. The lock is the weakest that keeps others from changing or deleting the row. A
 * stronger one would hold up this transaction's own look for the row when another of its rows wants
 * the same key, and a duplicate would come out as a deadlock.
 *
 * @param set where SET stands
 * @param from the first token of the condition
 * @param to behind its last
 * @param columns what to select
 */
public record OldRow(int set, int from, int to, String columns) {
  /** The query for a statement of this shape. */
  public String sql(StatementText text) {
    return "SELECT "
        + columns
        + " FROM "
        + part(text, 1, set)
        + " WHERE "
        + part(text, from, to)
        + " FOR NO KEY UPDATE";
  }

  private static String part(StatementText text, int from, int to) {
    Tokens tokens = text.tokens();
    return text.sql().substring(tokens.start(from), tokens.end(to - 1));
  }
}
