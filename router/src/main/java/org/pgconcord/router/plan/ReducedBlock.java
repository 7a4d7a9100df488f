package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.pgconcord.config.schema.Column;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.TextTemplate;

/**
 * A query of one block whose shards can do much of its work before their rows are fetched: the
 * whole WHERE clause, the joins of a {@link Source}, partial aggregates, duplicates, or the first
 * rows of an order.
 *
 * <p>Aggregates are taken per combination of all columns that stand outside of them, which refines
 * any grouping that the query asks for, by expressions, ordinals or grouping sets: the finishing
 * query groups the partial results as it would have grouped the rows. One that ignores duplicates,
 * and cannot be taken in parts, is left to it: its columns are among the combination's.
 */
final class ReducedBlock {
  private static final TextTemplate NOTHING = new TextTemplate.Builder().build();

  private final PlanInput input;
  private final Subqueries subqueries;
  private final Source source;
  private final String prefix;

  /** A fetch, and what is left to do. */
  record Reduced(Fetch fetch, Finish aggregates) {}

  /** {@code prefix} begins the names of partial results, no two of which may be alike. */
  ReducedBlock(PlanInput input, Subqueries subqueries, Source source, String prefix) {
    this.input = input;
    this.subqueries = subqueries;
    this.source = source;
    this.prefix = prefix;
  }

  /** Empty when the rows that the source makes cannot be made on shards. */
  Optional<Reduced> reduced() {
    if (!source.applied().stream().allMatch(source::onlyReads)) {
      return source.plain().map(fetch -> new Reduced(fetch, Finish.NOTHING));
    }
    Optional<Reduced> reduced = Optional.empty();
    if (!subqueries.isOutside("over", "window") && source.namesColumnsOnly()) {
      reduced = groups() ? grouped() : top();
    }
    return reduced.or(
        () -> Optional.of(new Reduced(rows(outside(List.of()), NOTHING), finish(List.of()))));
  }

  private boolean groups() {
    return subqueries.callsOutside(Kind.AGGREGATE) > 0
        || subqueries.isOutside("group", "having")
        || input.tokens().isWord(1, "distinct");
  }

  private Finish finish(List<Finish.Combined> combined) {
    return new Finish(source.gone(), combined);
  }

  private Fetch rows(List<Source.Item> items, TextTemplate tail) {
    String list =
        items.isEmpty()
            ? "true"
            : items.stream().map(Source.Item::qualified).collect(Collectors.joining(", "));
    List<Fetch.Column> columns =
        items.isEmpty()
            ? List.of(source.computed("\"pgconcord_row\""))
            : items.stream().map(source::fetched).toList();
    return source.fetch(new TextTemplate.Builder().add("SELECT " + list).build(), columns, tail);
  }

  /** The columns that the query uses outside of these calls and of what has been applied. */
  private List<Source.Item> outside(List<AggregateCall> calls) {
    Set<Integer> without = new HashSet<>();
    calls.forEach(call -> add(call.range(), without));
    source.applied().forEach(range -> add(range, without));
    return source.needed(new Clauses.Range(0, input.tokens().size()), without);
  }

  private static void add(Clauses.Range range, Set<Integer> to) {
    for (int i = range.from(); i < range.to(); i++) {
      to.add(i);
    }
  }

  // --- groups ----------------------------------------------------------------------------------

  private Optional<Reduced> grouped() {
    Optional<List<AggregateCall>> calls = AggregateCall.all(input, subqueries);
    if (calls.isEmpty()) {
      return Optional.empty();
    }
    List<AggregateCall> taken =
        calls.get().stream()
            .filter(call -> !call.distinct() && call.partial(input, this::columns))
            .toList();
    boolean others =
        calls.get().stream().anyMatch(c -> !taken.contains(c) && !c.ignoresDuplicates());
    if (others) {
      return Optional.empty();
    }
    return taken.isEmpty() ? distinctRows() : partials(taken);
  }

  private List<Column> columns(Clauses.Range range, Set<Integer> without) {
    return source.needed(range, without).stream().map(Source.Item::column).toList();
  }

  private Optional<Reduced> distinctRows() {
    List<Source.Item> columns = outside(List.of());
    return keys(columns)
        .map(keys -> columns.isEmpty() ? " LIMIT 1" : " GROUP BY " + keys)
        .map(tail -> new TextTemplate.Builder().add(tail).build())
        .map(tail -> new Reduced(rows(columns, tail), finish(List.of())));
  }

  private Optional<Reduced> partials(List<AggregateCall> calls) {
    List<Source.Item> columns = outside(calls);
    Optional<String> keys = keys(columns);
    if (keys.isEmpty()) {
      return Optional.empty();
    }
    TextTemplate.Builder select = new TextTemplate.Builder();
    List<Fetch.Column> fetched = new ArrayList<>();
    String separator = "SELECT ";
    for (Source.Item column : columns) {
      select.add(separator + column.qualified());
      fetched.add(source.fetched(column));
      separator = ", ";
    }
    List<Finish.Combined> combined = new ArrayList<>();
    for (AggregateCall call : calls) {
      List<String> names = new ArrayList<>();
      for (TextTemplate partial : call.partials()) {
        String name = "\"%s_%d\"".formatted(prefix, fetched.size());
        select.add(separator).add(partial).add(" AS " + name);
        fetched.add(source.computed(name));
        names.add(name);
        separator = ", ";
      }
      combined.add(call.combined(names, input));
    }
    String tail = columns.isEmpty() ? " HAVING pg_catalog.count(*) > 0" : " GROUP BY " + keys.get();
    Fetch fetch =
        source.fetch(select.build(), fetched, new TextTemplate.Builder().add(tail).build());
    return Optional.of(new Reduced(fetch, finish(combined)));
  }

  /**
   * A grouping under which rows are one only when they are the same to every function; empty when
   * there is none. Where equal values can look different, their text tells them apart.
   */
  private static Optional<String> keys(List<Source.Item> columns) {
    List<String> keys = new ArrayList<>();
    for (Source.Item item : columns) {
      String name = item.qualified();
      switch (Equality.of(item.column())) {
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
      if (!column.deterministic() || column.type().equals("bpchar")) {
        return UNKNOWN;
      } else if (BY_BYTES.contains(column.typeOid())) {
        return BYTES;
      }
      return BY_TEXT.contains(column.typeOid()) ? TEXT : UNKNOWN;
    }
  }

  // --- the first rows --------------------------------------------------------------------------

  private Optional<Reduced> top() {
    return TopRows.tail(input, source)
        .map(tail -> new Reduced(rows(outside(List.of()), tail), finish(List.of())));
  }
}
