package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.Tokens;

/**
 * A GROUP BY that names all columns of a table's primary key lets the query use the table's other
 * columns as they are (PostgreSQL manual, "GROUP BY Clause"). Rows that were fetched have no
 * primary key, so that the columns are added to the list: the groups stay the same.
 */
final class DependentColumns {
  /** Types without an equality to group by: json, xml, point and the other figures. */
  private static final Set<Integer> NOT_GROUPED =
      Set.of(114, 142, 600, 601, 602, 603, 604, 628, 718);

  private DependentColumns() {}

  /**
   * What to add.
   *
   * @param behind a token of the FROM clause, at the level of the GROUP BY
   * @param fetched the columns that the query may use
   */
  static Optional<SqlEdit> of(
      PlanInput input, int behind, String alias, TableSchema schema, List<Column> fetched) {
    Optional<Clauses.Range> list = input.clauses().groupBehind(behind);
    Set<String> key = new HashSet<>(schema.primaryKey());
    if (list.isEmpty() || key.isEmpty()) {
      return Optional.empty();
    }
    Set<String> named =
        input.clauses().items(list.get()).stream()
            .flatMap(item -> column(input.tokens(), item, alias).stream())
            .collect(Collectors.toSet());
    String others =
        fetched.stream()
            .filter(c -> !named.contains(c.name()) && !NOT_GROUPED.contains(c.typeOid()))
            .map(c -> ", " + Identifiers.quote(alias) + "." + Identifiers.quote(c.name()))
            .collect(Collectors.joining());
    return named.containsAll(key) && !others.isEmpty()
        ? Optional.of(new SqlEdit(list.get().to(), others))
        : Optional.empty();
  }

  /** The column that an item of the list is, perhaps another table's without a qualifier. */
  private static Optional<String> column(Tokens tokens, Clauses.Range item, String alias) {
    int last = item.to() - 1;
    if (item.from() > last || !tokens.kind(last).isName()) {
      return Optional.empty();
    }
    boolean qualified =
        item.to() - item.from() == 3
            && tokens.isSymbol(item.from() + 1, ".")
            && tokens.kind(item.from()).isName()
            && Names.of(tokens, item.from()).equals(alias);
    return qualified || item.to() - item.from() == 1
        ? Optional.of(Names.of(tokens, last))
        : Optional.empty();
  }
}
