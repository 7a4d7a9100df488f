package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.check.CoveringTypes;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.gsi.IndexColumn;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;

/**
 * Whether an entry of a covering index is the whole answer of a query: {@code SELECT columns FROM
 * owner WHERE key = constant} and nothing else, each column one of the entry's and of a type whose
 * equal values are the same bytes (docs/decisions/0018-covering-reads.md). What the client's role
 * may read is asked when the query runs.
 */
final class CoveringShape {
  private static final String[] OTHER_CLAUSES = {
    "distinct",
    "into",
    "group",
    "having",
    "window",
    "order",
    "limit",
    "offset",
    "fetch",
    "for",
    "tablesample",
    "only",
    "union",
    "intersect",
    "except",
    "with",
    "all"
  };

  private final PlanInput input;
  private final QueryView query;
  private final TableUse use;
  private final LookupIndex index;

  CoveringShape(PlanInput input, QueryView query, TableUse use, LookupIndex index) {
    this.input = input;
    this.query = query;
    this.use = use;
    this.index = index;
  }

  /**
   * The places in the entry of the answer's columns; without them {@code why} says what is in the
   * way, where the index is covering.
   *
   * @throws org.pgconcord.config.error.ConcordException when row security differs between the two
   *     tables
   */
  Optional<List<Integer>> columns(Clauses.Range where, List<String> why) {
    if (!index.gsi().covering() || !input.tokens().isWord(0, "select")) {
      return Optional.empty();
    }
    List<Integer> places = new ArrayList<>();
    String obstacle = obstacle(where, places);
    if (obstacle == null) {
      obstacle = rowSecurity();
    }
    if (obstacle != null) {
      why.add("index %s does not answer by itself: %s".formatted(index.name(), obstacle));
      return Optional.empty();
    }
    return Optional.of(places);
  }

  private @Nullable String obstacle(Clauses.Range where, List<Integer> places) {
    if (!input.context().covering()) {
      return "pgconcord.covering is off";
    } else if (input.clauses().has(OTHER_CLAUSES) || !endsBehind(where)) {
      return "the query has other clauses than SELECT, FROM and WHERE";
    } else if (!keysAlone(where)) {
      return "WHERE is not made of the index's equalities alone";
    }
    Optional<List<ItemView>> items = query.blocks().get(0).items();
    if (items.isEmpty()) {
      return "the select list cannot be told item by item";
    }
    for (ItemView item : items.get()) {
      String obstacle = place(item, places);
      if (obstacle != null) {
        return obstacle;
      }
    }
    return null;
  }

  /** Nothing but a semicolon comes after it. */
  private boolean endsBehind(Clauses.Range where) {
    return IntStream.range(where.to(), input.tokens().size())
        .allMatch(i -> input.tokens().text(i).equals(";"));
  }

  /** Each indexed column once, as {@code column = constant}, joined by AND: every token counts. */
  private boolean keysAlone(Clauses.Range where) {
    List<PredicateView> predicates = query.blocks().get(0).where();
    Set<String> named = new HashSet<>();
    int tokens = predicates.size() - 1;
    for (PredicateView predicate : predicates) {
      if (!(predicate instanceof PredicateView.OneOf oneOf) || !oneOf.isEquality()) {
        return false;
      }
      named.add(oneOf.column().name());
      tokens += 3 + 2 * oneOf.column().qualifier().size();
    }
    return predicates.size() == index.key().size()
        && named.equals(Set.copyOf(index.gsi().columns()))
        && where.to() - where.from() == tokens;
  }

  private @Nullable String place(ItemView item, List<Integer> places) {
    if (item instanceof ItemView.Plain plain) {
      return isOwners(plain.column().qualifier())
          ? column(plain.column().name(), places)
          : "the select list names another table";
    } else if (item instanceof ItemView.Star star && isOwners(star.qualifier())) {
      for (Column column : index.owner().columns()) {
        String obstacle = column(column.name(), places);
        if (obstacle != null) {
          return obstacle;
        }
      }
      return null;
    }
    return "the select list has more than columns";
  }

  private boolean isOwners(List<String> qualifier) {
    return qualifier.isEmpty() || (qualifier.size() == 1 && qualifier.get(0).equals(use.alias()));
  }

  private @Nullable String column(String name, List<Integer> places) {
    List<IndexColumn> columns = index.columns();
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(name)) {
        places.add(i);
        return CoveringTypes.has(columns.get(i).column())
            ? null
            : "equal values of column \"%s\" can be printed differently".formatted(name);
      }
    }
    return "its entries have no column \"%s\"".formatted(name);
  }

  /** Where both tables have it the policies cannot be compared here: the owner row is read. */
  private @Nullable String rowSecurity() {
    Optional<TableSchema> lookup =
        input.context().state().schema(input.database().name(), index.gsi().lookup());
    if (lookup.isEmpty()) {
      return "its lookup table is not known";
    }
    if (lookup.get().rowSecurity() != index.owner().rowSecurity()) {
      throw ErrorCode.GSI_COVERING_ROW_SECURITY.because(
          "row security differs between %s and lookup table %s of covering index %s"
              .formatted(index.owner().name(), index.gsi().lookup(), index.name()));
    }
    return index.owner().rowSecurity() ? "the owner has row security" : null;
  }
}
