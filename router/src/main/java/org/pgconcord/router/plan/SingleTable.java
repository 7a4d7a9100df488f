package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.schema.Column;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.TextTemplate;

/**
 * A query of one block over one sharded table, whose shards can do much of its work before their
 * rows are fetched: the whole WHERE clause, partial aggregates, duplicates, or the first rows of an
 * order.
 *
 * <p>Aggregates are taken per combination of all columns that stand outside of them, which refines
 * any grouping that the query asks for, by expressions, ordinals or grouping sets: the finishing
 * query groups the partial results as it would have grouped the rows.
 */
final class SingleTable {
  private final PlanInput input;
  private final FetchPlanner planner;
  private final Optional<Clauses.Range> where;

  /** A fetch, and what is left to do. */
  record Reduced(Fetch fetch, Finish aggregates) {}

  SingleTable(PlanInput input, FetchPlanner planner) {
    this.input = input;
    this.planner = planner;
    this.where = input.clauses().topLevelWhere();
  }

  Reduced reduced() {
    if (where.isPresent() && !planner.onlyReads(where.get())) {
      return new Reduced(planner.plain(), Finish.NOTHING);
    }
    Optional<Reduced> reduced = Optional.empty();
    if (!input.clauses().has("over", "window") && planner.namesColumnsOnly()) {
      boolean groups =
          input.calls(Kind.AGGREGATE) || input.clauses().has("group", "having", "distinct");
      reduced = groups ? grouped() : top();
    }
    return reduced.orElseGet(
        () ->
            new Reduced(
                planner.fetch(planner.needed(), conditions(), new TextTemplate.Builder().build()),
                Finish.NOTHING));
  }

  private List<Clauses.Range> conditions() {
    return where.map(List::of).orElse(List.of());
  }

  // --- groups ----------------------------------------------------------------------------------

  private Optional<Reduced> grouped() {
    Optional<List<AggregateCall>> calls = AggregateCall.all(input);
    if (calls.isEmpty()) {
      return Optional.empty();
    }
    if (calls.get().stream().allMatch(AggregateCall::ignoresDuplicates)) {
      return distinctRows();
    }
    boolean partial =
        calls.get().stream().allMatch(call -> call.partial(input, planner::needed))
            && calls.get().stream().noneMatch(AggregateCall::distinct);
    return partial ? partials(calls.get()) : Optional.empty();
  }

  private Optional<Reduced> distinctRows() {
    List<Column> columns = outside(List.of());
    Optional<String> keys = keys(columns);
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    String tail = columns.isEmpty() ? " LIMIT 1" : " GROUP BY " + keys.get();
    TextTemplate text = new TextTemplate.Builder().add(tail).build();
    return Optional.of(
        new Reduced(
            planner.fetch(columns, conditions(), text), new Finish(whereClause(), List.of())));
  }

  private Optional<Reduced> partials(List<AggregateCall> calls) {
    List<Column> columns = outside(calls);
    Optional<String> keys = keys(columns);
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    TextTemplate.Builder select = new TextTemplate.Builder();
    List<Fetch.Column> fetched = new ArrayList<>();
    String separator = "SELECT ";
    for (Column column : columns) {
      select.add(separator + planner.qualified(column));
      fetched.add(FetchPlanner.declared(column));
      separator = ", ";
    }
    List<Finish.Combined> combined = new ArrayList<>();
    for (AggregateCall call : calls) {
      List<String> names = new ArrayList<>();
      for (TextTemplate partial : call.partials()) {
        String name = "\"pgconcord_%d\"".formatted(fetched.size());
        select.add(separator).add(partial).add(" AS " + name);
        fetched.add(new Fetch.Column(name, ""));
        names.add(name);
        separator = ", ";
      }
      combined.add(call.combined(names, input));
    }
    String tail = columns.isEmpty() ? " HAVING pg_catalog.count(*) > 0" : " GROUP BY " + keys.get();
    Fetch fetch =
        planner.of(
            select.build(), fetched, conditions(), new TextTemplate.Builder().add(tail).build());
    return Optional.of(new Reduced(fetch, new Finish(whereClause(), combined)));
  }

  /** The columns that the query uses outside of these calls and of its WHERE clause. */
  private List<Column> outside(List<AggregateCall> calls) {
    Set<Integer> without = new HashSet<>();
    calls.forEach(call -> add(call.range(), without));
    whereClause().forEach(range -> add(range, without));
    return planner.needed(new Clauses.Range(0, input.tokens().size()), without);
  }

  private static void add(Clauses.Range range, Set<Integer> to) {
    for (int i = range.from(); i < range.to(); i++) {
      to.add(i);
    }
  }

  private List<Clauses.Range> whereClause() {
    return where.map(w -> List.of(new Clauses.Range(w.from() - 1, w.to()))).orElse(List.of());
  }

  /**
   * A grouping under which rows are one only when they are the same to every function; empty when
   * there is none. Where equal values can look different, their text tells them apart.
   */
  private Optional<String> keys(List<Column> columns) {
    List<String> keys = new ArrayList<>();
    for (Column column : columns) {
      String name = planner.qualified(column);
      switch (Equality.of(column)) {
        case BYTES -> keys.add(name);
        case TEXT -> keys.add(name + ", " + name + "::pg_catalog.text");
        case UNKNOWN -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(String.join(", ", keys));
  }

  /** What equal values of a type have in common. */
  private enum Equality {
    BYTES,
    TEXT,
    UNKNOWN;

    private static final Set<Integer> BY_BYTES =
        Set.of(
            16, 18, 20, 21, 23, 25, 26, 774, 829, 1042, 1043, 1082, 1083, 1114, 1184, 2950, 3220);
    private static final Set<Integer> BY_TEXT = Set.of(700, 701, 1700);

    static Equality of(Column column) {
      if (!column.deterministic()) {
        return UNKNOWN;
      } else if (BY_BYTES.contains(column.typeOid())) {
        return BYTES;
      }
      return BY_TEXT.contains(column.typeOid()) ? TEXT : UNKNOWN;
    }
  }

  // --- the first rows --------------------------------------------------------------------------

  private Optional<Reduced> top() {
    return TopRows.tail(input, planner)
        .map(
            tail ->
                new Reduced(planner.fetch(planner.needed(), conditions(), tail), Finish.NOTHING));
  }
}
