package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * The rows that an INSERT ... ON CONFLICT DO UPDATE may meet and update (docs/decisions/0022). They
 * are looked for by what VALUES has for the arbiter's columns, and locked; the statement itself
 * then carries a guard in DO UPDATE's condition, which fails for any other row and names its place.
 *
 * @param target the table and its alias, as an item of FROM
 * @param qualifier the target's name in the statement
 * @param columns what to select behind {@code tableoid} and {@code ctid}
 * @param arbiter the columns by which rows are looked for; empty where that is not told by values
 * @param values for each row of VALUES the constants of these columns; empty where one is none
 * @param where DO UPDATE's condition
 * @param end where it would stand if there is none
 * @param fixed indexes whose entries of updated rows may not change
 */
public record ConflictRows(
    String target,
    String qualifier,
    String columns,
    List<Key> arbiter,
    List<List<Clauses.Range>> values,
    Optional<Clauses.Range> where,
    int end,
    Set<GsiName> fixed)
    implements RowsToChange {
  /** A column of the arbiter and the type of its values. */
  public record Key(String column, String type) {}

  /** The place of a row that was met and not locked. */
  public record Place(String table, String row) {}

  public ConflictRows {
    arbiter = List.copyOf(arbiter);
    values = List.copyOf(values);
    fixed = Set.copyOf(fixed);
  }

  @Override
  public String column(String name) {
    return Identifiers.quote(qualifier) + "." + name;
  }

  @Override
  public String left(StatementText text, String rows) {
    return "SELECT %s, %s FROM %s WHERE %s"
        .formatted(column("tableoid"), column("ctid"), target, rows);
  }

  /**
   * Reads and locks the rows that some rows of VALUES meet, as far as constants tell; empty where
   * they do not.
   *
   * @param rows indexes of the rows
   */
  public Optional<String> lock(StatementText text, List<Integer> rows) {
    String keys =
        rows.stream()
            .map(values::get)
            .filter(row -> !row.isEmpty())
            .map(row -> values(text, row))
            .collect(Collectors.joining(", "));
    String names =
        arbiter.stream()
            .map(key -> column(Identifiers.quote(key.column())))
            .collect(Collectors.joining(", "));
    return keys.isEmpty()
        ? Optional.empty()
        : Optional.of(lock("(%s) IN (VALUES %s)".formatted(names, keys)));
  }

  private String values(StatementText text, List<Clauses.Range> row) {
    Tokens tokens = text.tokens();
    return IntStream.range(0, row.size())
        .mapToObj(
            i ->
                "CAST(%s AS %s)"
                    .formatted(
                        text.sql()
                            .substring(
                                tokens.start(row.get(i).from()), tokens.end(row.get(i).to() - 1)),
                        arbiter.get(i).type()))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  /** Reads and locks the rows for which a condition holds. */
  public String lock(String condition) {
    return "SELECT %s, %s, %s FROM %s WHERE %s FOR NO KEY UPDATE OF %s"
        .formatted(
            column("tableoid"),
            column("ctid"),
            columns,
            target,
            condition,
            Identifiers.quote(qualifier));
  }

  /**
   * Makes the statement fail where it meets a row that is not locked.
   *
   * @param locked a condition that names those that are
   * @param token what the failure is told by
   */
  public List<SqlEdit> guard(String locked, String token) {
    String front = "CASE WHEN " + locked + " THEN ";
    String rest =
        " ELSE CAST(pg_catalog.concat('%s ', %s, ' ', %s) AS pg_catalog.bool) END"
            .formatted(token, column("tableoid"), column("ctid"));
    if (where.isEmpty()) {
      return List.of(new SqlEdit(end, " WHERE " + front + "true" + rest));
    }
    List<SqlEdit> edits = new ArrayList<>();
    edits.add(new SqlEdit(where.get().from(), " " + front + "("));
    edits.add(new SqlEdit(where.get().to(), ")" + rest));
    return edits;
  }

  /** The row that an error of the guard names; empty for any other error. */
  public static Optional<Place> met(String message, String token) {
    Matcher matcher =
        Pattern.compile(Pattern.quote(token) + " (\\d+) (\\(\\d+,\\d+\\))").matcher(message);
    return matcher.find()
        ? Optional.of(new Place(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }
}
