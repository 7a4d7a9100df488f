package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementReader;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;
import org.pgconcord.router.sql.UnreadableException;

/**
 * A query within a statement, as one by itself.
 *
 * @param range its tokens, without parentheses
 * @param list behind its select list
 * @param added columns that are put there, of the router's own; empty for none
 * @param addedColumns how many
 */
record FoundQuery(Clauses.Range range, int list, String added, int addedColumns) {
  private static final String[] BEYOND_ROWS = {
    "distinct", "group", "having", "window", "union", "intersect", "except"
  };

  /** As it stands. */
  static FoundQuery of(Clauses.Range range) {
    return new FoundQuery(range, range.to(), "", 0);
  }

  /**
   * The same, with the target's shard key behind its list where the query reads the target alone
   * and the columns that are compared have its primary key: then each of its rows names one row,
   * the one that it is of.
   */
  static FoundQuery of(
      Clauses.Range range, List<FoundKeys.Equal> equal, FoundTarget target, PlanInput input) {
    FoundQuery plain = of(range);
    if (target.key().isEmpty() || has(equal, target.key())) {
      return plain;
    }
    String sql = plain.text(input.text());
    QueryView query = read(StatementText.one(sql), input);
    Optional<String> alias = onlyTable(query, target, input);
    List<ItemView> items = items(query);
    List<String> own =
        equal.stream()
            .filter(e -> column(items, e).equals(Optional.of(e.named())))
            .map(FoundKeys.Equal::named)
            .toList();
    int from = from(range, input);
    if (alias.isEmpty() || from < 0 || !target.isNamedBy(own) || !areColumns(items)) {
      return plain;
    }
    String added =
        IntStream.range(0, target.key().size())
            .mapToObj(
                i ->
                    ", %s.%s AS pgconcord_key_%d"
                        .formatted(
                            Identifiers.quote(alias.get()),
                            Identifiers.quote(target.key().get(i)),
                            i))
            .collect(Collectors.joining());
    return new FoundQuery(range, from, added, target.key().size());
  }

  private static boolean has(List<FoundKeys.Equal> equal, List<String> columns) {
    return equal.stream()
        .map(FoundKeys.Equal::named)
        .collect(Collectors.toSet())
        .containsAll(columns);
  }

  String text(StatementText statement) {
    Tokens tokens = statement.tokens();
    String sql = statement.sql();
    int split = tokens.end(list - 1);
    return sql.substring(tokens.start(range.from()), split)
        + added
        + sql.substring(split, tokens.end(range.to() - 1));
  }

  // --- what it is ------------------------------------------------------------------------------

  /** A text that is a query. */
  static QueryView read(StatementText query, PlanInput input) {
    try {
      return StatementReader.read(query, input.names().watched()).scope();
    } catch (UnreadableException e) {
      throw ErrorCode.SQL_UNREADABLE.because("the router cannot read " + e.construct());
    }
  }

  /** Its select list; empty where that is not known. */
  static List<ItemView> items(QueryView query) {
    return query.blocks().size() == 1 ? query.blocks().get(0).items().orElse(List.of()) : List.of();
  }

  /** The alias under which it reads the target and nothing else. */
  private static Optional<String> onlyTable(QueryView query, FoundTarget target, PlanInput input) {
    if (query.blocks().size() != 1
        || !query.with().isEmpty()
        || query.blocks().get(0).from().size() != 1
        || !(query.blocks().get(0).from().get(0) instanceof FromView.Named named)
        || named.renamed()) {
      return Optional.empty();
    }
    return input.names().find(named.name()) instanceof Relation.Declared declared
            && target.name().equals(Optional.of(declared.table().name()))
        ? Optional.of(named.alias())
        : Optional.empty();
  }

  /** The column of its table that a column of its own is. */
  private static Optional<String> column(List<ItemView> items, FoundKeys.Equal equal) {
    boolean star = items.stream().anyMatch(ItemView.Star.class::isInstance);
    if (equal.place() >= 0) {
      return star || equal.place() >= items.size()
          ? Optional.empty()
          : Optional.of(items.get(equal.place()))
              .filter(ItemView.Plain.class::isInstance)
              .map(item -> ((ItemView.Plain) item).column().name());
    }
    List<ItemView> labelled =
        items.stream().filter(item -> item.label().equals(equal.name())).toList();
    if (labelled.isEmpty()) {
      return star ? Optional.of(equal.name()) : Optional.empty();
    }
    return labelled.size() == 1 && !star && labelled.get(0) instanceof ItemView.Plain plain
        ? Optional.of(plain.column().name())
        : Optional.empty();
  }

  private static boolean areColumns(List<ItemView> items) {
    return items.stream().noneMatch(ItemView.Other.class::isInstance);
  }

  /** The FROM at its own level; -1 without one, or where rows are put together. */
  private static int from(Clauses.Range range, PlanInput input) {
    int from = -1;
    int i = range.from();
    while (i < range.to()) {
      for (String word : BEYOND_ROWS) {
        if (input.clauses().isKeyword(i, word)) {
          return -1;
        }
      }
      from = from < 0 && input.clauses().isKeyword(i, "from") ? i : from;
      int partner = input.clauses().partner(i);
      i = partner > i ? partner + 1 : i + 1;
    }
    return from;
  }
}
