package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlReplacement;
import org.pgconcord.router.sql.StatementText;

/**
 * A subquery of FROM or USING, or a CTE: VALUES wherever it is named.
 *
 * @param gone the CTE with its WITH or comma; empty for a subquery
 * @param names of its columns where they have other names than the query's
 * @param where the condition of the statement
 * @param keys what that condition says of the rows that are named
 */
record FoundTable(
    FoundQuery asked,
    Optional<Clauses.Range> gone,
    List<String> names,
    List<Mention> mentions,
    Clauses.Range where,
    FoundKeys keys)
    implements Found {
  FoundTable {
    names = List.copyOf(names);
    mentions = List.copyOf(mentions);
  }

  /**
   * Where it stands.
   *
   * @param tokens its name or the query, with its alias
   * @param nested within a subquery, which may have something to say of no rows
   */
  record Mention(Clauses.Range tokens, String alias, boolean nested) {}

  @Override
  public String query(StatementText text) {
    return asked.text(text);
  }

  @Override
  public String with(StatementText text, FoundValues rows) {
    List<SqlReplacement> all = new ArrayList<>();
    gone.ifPresent(range -> all.add(new SqlReplacement(range.from(), range.to(), "")));
    for (Mention mention : mentions) {
      all.add(
          new SqlReplacement(
              mention.tokens().from(), mention.tokens().to(), relation(mention, rows)));
    }
    String condition = rows.none() && !isDemanded() ? "" : keys.condition(rows);
    if (!condition.isEmpty()) {
      all.add(new SqlReplacement(where.from(), where.from(), " ("));
      all.add(new SqlReplacement(where.to(), where.to(), ") AND " + condition));
    }
    return SqlReplacement.apply(text, all).strip();
  }

  /** Without one of its rows no row of the target is meant. */
  private boolean isDemanded() {
    return !keys.equal().isEmpty() || mentions.stream().anyMatch(mention -> !mention.nested());
  }

  private String relation(Mention mention, FoundValues rows) {
    int width = rows.columns().size() - asked.addedColumns();
    String values =
        IntStream.range(0, rows.rows())
            .mapToObj(row -> "(" + rows.values(row, rows.first(width)) + ")")
            .collect(Collectors.joining(", ", "VALUES ", ""));
    String columns =
        IntStream.range(0, width)
            .mapToObj(i -> i < names.size() ? names.get(i) : rows.columns().get(i))
            .map(Identifiers::quote)
            .collect(Collectors.joining(", ", "(", ")"));
    String of =
        rows.none() && mention.nested()
            ? "SELECT * FROM (" + values + ") AS pgconcord_rows WHERE false"
            : values;
    return "(" + of + ") AS " + Identifiers.quote(mention.alias()) + columns;
  }

  @Override
  public boolean single() {
    return false;
  }

  @Override
  public boolean repeats() {
    return false;
  }

  @Override
  public boolean typed() {
    return true;
  }
}
