package org.pgconcord.router.plan;

import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * The two statements by which an UPDATE runs when the rows must be known as they were before
 * (decision 0012): a query that reads and locks them by the UPDATE's own target and condition, and
 * the UPDATE itself with these rows named in place of the condition.
 *
 * <p>The lock is the weakest that keeps others from changing or deleting the row. A stronger one
 * would hold up this transaction's own look for the row when another of its rows wants the same
 * key, and a duplicate would come out as a deadlock.
 *
 * <p>With FROM the condition stays beside the rows, since it says which of the other tables' rows
 * each is joined with. A row for which it does not hold any more is then left alone, and found so.
 *
 * @param set where SET stands
 * @param from the other tables of UPDATE ... FROM
 * @param where the condition; empty when all rows are updated
 * @param end where a WHERE clause would stand if there is none: behind SET's last token
 * @param qualifier the target's name in the statement
 * @param columns what to select behind {@code tableoid} and {@code ctid}
 * @param fixed indexes whose entries the UPDATE may not change: strict ones, of which it assigns no
 *     column
 */
public record OldRows(
    int set,
    Optional<Clauses.Range> from,
    Optional<Clauses.Range> where,
    int end,
    String qualifier,
    String columns,
    Set<GsiName> fixed)
    implements RowsToChange {

  public OldRows {
    fixed = Set.copyOf(fixed);
  }

  /**
   * Reads and locks the rows.
   *
   * @param most no more rows than this
   * @param narrowing what must hold beside the UPDATE's own condition; empty for nothing
   */
  public String lock(StatementText text, int most, String narrowing) {
    return "SELECT %s, %s, %s FROM %s%s%s LIMIT %d FOR NO KEY UPDATE OF %s"
        .formatted(
            column("tableoid"),
            column("ctid"),
            columns,
            part(text, 1, set),
            from.map(f -> ", " + part(text, f.from(), f.to())).orElse(""),
            where.map(w -> " WHERE " + both(part(text, w.from(), w.to()), narrowing)).orElse(""),
            most,
            Identifiers.quote(qualifier));
  }

  /**
   * The UPDATE of rows at known places.
   *
   * @param rows a condition that names them
   * @param returning what is added behind the statement
   */
  public String update(StatementText text, String rows, String returning) {
    Tokens tokens = text.tokens();
    String sql = text.sql();
    String rest = sql.substring(rest(tokens), tokens.end(tokens.size() - 1)) + returning;
    String front =
        where
            .map(w -> sql.substring(0, tokens.start(w.from())))
            .orElseGet(() -> sql.substring(0, tokens.end(end - 1)) + " WHERE ");
    boolean joins = from.isPresent() && where.isPresent();
    return front
        + (joins ? "(" + part(text, where.get().from(), where.get().to()) + ") AND (" : "")
        + rows
        + (joins ? ")" : "")
        + rest;
  }

  private int rest(Tokens tokens) {
    return tokens.end(where.map(Clauses.Range::to).orElse(end) - 1);
  }

  @Override
  public String column(String name) {
    return Identifiers.quote(qualifier) + "." + name;
  }

  @Override
  public String left(StatementText text, String rows) {
    return "SELECT %s, %s FROM %s WHERE %s"
        .formatted(column("tableoid"), column("ctid"), part(text, 1, set), rows);
  }

  private static String both(String condition, String narrowing) {
    return narrowing.isEmpty() ? condition : "(" + condition + ") AND " + narrowing;
  }

  private static String part(StatementText text, int from, int to) {
    Tokens tokens = text.tokens();
    return text.sql().substring(tokens.start(from), tokens.end(to - 1));
  }
}
