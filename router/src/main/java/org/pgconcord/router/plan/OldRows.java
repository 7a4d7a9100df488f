package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * How an UPDATE or DELETE runs when the rows must be known as they were before (decisions 0012 and
 * 0019): by a query that reads and locks them by its own target and condition, and then by itself
 * with these rows named in place of the condition. It may be a whole statement or a part of one.
 *
 * <p>The lock is the weakest that keeps others from changing or deleting the row. A stronger one
 * would hold up this transaction's own look for the row when another of its rows wants the same
 * key, and a duplicate would come out as a deadlock.
 *
 * <p>With FROM or USING the condition stays beside the rows, since it says which of the other
 * tables' rows each is joined with. A row for which it does not hold any more is then left alone,
 * and found so.
 *
 * @param with the CTEs that the condition reads, in their order
 * @param recursive they stand behind WITH RECURSIVE
 * @param target the table with its alias
 * @param others the other tables, of FROM or USING
 * @param where the condition; empty when all rows are changed
 * @param end where a WHERE clause would stand if there is none
 * @param qualifier the target's name in the statement
 * @param columns what to select behind {@code tableoid} and {@code ctid}
 * @param fixed indexes whose entries the UPDATE may not change: strict ones, of which it assigns no
 *     column
 */
public record OldRows(
    List<Clauses.Range> with,
    boolean recursive,
    Clauses.Range target,
    Optional<Clauses.Range> others,
    Optional<Clauses.Range> where,
    int end,
    String qualifier,
    String columns,
    Set<GsiName> fixed)
    implements RowsToChange {

  public OldRows {
    with = List.copyOf(with);
    fixed = Set.copyOf(fixed);
  }

  /**
   * Of an UPDATE.
   *
   * @param within the UPDATE, from its target on
   */
  static OldRows ofUpdate(
      PlanInput input,
      FromView.Named target,
      Clauses.Range within,
      String columns,
      Set<GsiName> fixed) {
    Clauses clauses = input.clauses();
    int set = clauses.next(within, "set");
    if (set == within.to()) {
      throw unreadable("UPDATE");
    }
    return of(
        input,
        target,
        new Clauses.Range(within.from(), set),
        clauses.updateFrom(new Clauses.Range(set, within.to())),
        within,
        columns,
        fixed);
  }

  /** Of a DELETE, as {@link #ofUpdate}. */
  static OldRows ofDelete(
      PlanInput input, FromView.Named target, Clauses.Range within, String columns) {
    int using = input.clauses().next(within, "using", "where", "returning");
    boolean joins = input.tokens().isWord(using, "using");
    Optional<Clauses.Range> others =
        joins
            ? Optional.of(
                new Clauses.Range(
                    using + 1,
                    input
                        .clauses()
                        .next(new Clauses.Range(using + 1, within.to()), "where", "returning")))
            : Optional.empty();
    return of(
        input, target, new Clauses.Range(within.from(), using), others, within, columns, Set.of());
  }

  private static OldRows of(
      PlanInput input,
      FromView.Named target,
      Clauses.Range named,
      Optional<Clauses.Range> others,
      Clauses.Range within,
      String columns,
      Set<GsiName> fixed) {
    Optional<Clauses.Range> where = input.clauses().where(within);
    int end = input.clauses().next(within, "returning");
    if (start(input, target) != within.from() || (where.isPresent() && where.get().to() != end)) {
      throw unreadable("write");
    }
    return new OldRows(List.of(), false, named, others, where, end, target.alias(), columns, fixed);
  }

  /** Where the target begins: at its name, or at ONLY. */
  static int start(PlanInput input, FromView.Named target) {
    int name = target.token();
    int only = input.tokens().isSymbol(name - 1, "(") ? name - 2 : name - 1;
    return input.tokens().isWord(only, "only") ? only : name;
  }

  private static RuntimeException unreadable(String what) {
    return ErrorCode.SQL_UNREADABLE.because("the clauses of this " + what + " are not read here");
  }

  /** The same, whose condition reads these CTEs. */
  OldRows reading(List<Clauses.Range> ctes, boolean all) {
    return new OldRows(ctes, all, target, others, where, end, qualifier, columns, fixed);
  }

  /**
   * Reads and locks the rows.
   *
   * @param most no more rows than this
   * @param narrowing what must hold beside the statement's own condition; empty for nothing
   */
  public String lock(StatementText text, int most, String narrowing) {
    return "%sSELECT %s, %s, %s FROM %s%s%s LIMIT %d FOR NO KEY UPDATE OF %s"
        .formatted(
            ctes(text),
            column("tableoid"),
            column("ctid"),
            columns,
            part(text, target),
            others.map(o -> ", " + part(text, o)).orElse(""),
            where.map(w -> " WHERE " + both(part(text, w), narrowing)).orElse(""),
            most,
            Identifiers.quote(qualifier));
  }

  private String ctes(StatementText text) {
    return with.isEmpty()
        ? ""
        : (recursive ? "WITH RECURSIVE " : "WITH ")
            + with.stream().map(cte -> part(text, cte)).collect(Collectors.joining(", "))
            + " ";
  }

  /**
   * The statement with rows at known places.
   *
   * @param rows a condition that names them
   * @param returning what is added behind the statement
   */
  public String update(StatementText text, String rows, String returning) {
    List<SqlReplacement> all = new ArrayList<>(named(rows));
    int size = text.tokens().size();
    all.add(new SqlReplacement(size, size, returning));
    return SqlReplacement.apply(text, all);
  }

  /** What names the rows in place of the condition, or beside it where it joins tables. */
  public List<SqlReplacement> named(String rows) {
    if (where.isEmpty()) {
      return List.of(new SqlReplacement(end, end, " WHERE " + rows));
    }
    Clauses.Range condition = where.get();
    return others.isPresent()
        ? List.of(
            new SqlReplacement(condition.from(), condition.from(), " ("),
            new SqlReplacement(condition.to(), condition.to(), ") AND (" + rows + ")"))
        : List.of(new SqlReplacement(condition.from(), condition.to(), rows));
  }

  @Override
  public String column(String name) {
    return Identifiers.quote(qualifier) + "." + name;
  }

  @Override
  public String left(StatementText text, String rows) {
    return left(text, rows, "");
  }

  /** Which of the rows at these places are there still, each with {@code more} columns. */
  public String left(StatementText text, String rows, String more) {
    return "SELECT %s, %s%s FROM %s WHERE %s"
        .formatted(column("tableoid"), column("ctid"), more, part(text, target), rows);
  }

  private static String both(String condition, String narrowing) {
    return narrowing.isEmpty() ? condition : "(" + condition + ") AND " + narrowing;
  }

  private static String part(StatementText text, Clauses.Range range) {
    Tokens tokens = text.tokens();
    return text.sql().substring(tokens.start(range.from()), tokens.end(range.to() - 1));
  }
}
