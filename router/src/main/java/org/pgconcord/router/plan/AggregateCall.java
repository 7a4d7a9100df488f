package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TextTemplate;
import org.pgconcord.router.sql.Tokens;

/**
 * A call of an aggregate that can be taken in parts.
 *
 * @param function its name, folded
 * @param range its tokens, FILTER included
 * @param argument the tokens in its parentheses
 * @param filter the tokens of its FILTER clause; empty without one
 * @param distinct it has DISTINCT
 */
record AggregateCall(
    String function,
    Clauses.Range range,
    Clauses.Range argument,
    Optional<Clauses.Range> filter,
    boolean distinct) {

  private static final Map<String, Finish.Kind> KNOWN =
      Map.ofEntries(
          Map.entry("count", Finish.Kind.COUNT),
          Map.entry("sum", Finish.Kind.SUM),
          Map.entry("avg", Finish.Kind.AVERAGE),
          Map.entry("min", Finish.Kind.SAME),
          Map.entry("max", Finish.Kind.SAME),
          Map.entry("bool_and", Finish.Kind.SAME),
          Map.entry("bool_or", Finish.Kind.SAME),
          Map.entry("every", Finish.Kind.SAME),
          Map.entry("bit_and", Finish.Kind.SAME),
          Map.entry("bit_or", Finish.Kind.SAME));

  private static final int FLOAT4 = 700;
  private static final int FIRST_USER_OID = 16_384;

  /**
   * All aggregates of the statement but those in subqueries; empty when one of them is of no kind
   * that is known here.
   */
  static Optional<List<AggregateCall>> all(PlanInput input, Subqueries subqueries) {
    long called = subqueries.callsOutside(Kind.AGGREGATE);
    List<AggregateCall> calls = new ArrayList<>();
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.kind(i).isName()
          && !subqueries.cover(i)
          && tokens.isSymbol(i + 1, "(")
          && KNOWN.containsKey(Names.of(tokens, i))) {
        Optional<AggregateCall> call = at(input, i);
        if (call.isEmpty()) {
          return Optional.empty();
        }
        calls.add(call.get());
      }
    }
    return calls.size() == called ? Optional.of(calls) : Optional.empty();
  }

  private static Optional<AggregateCall> at(PlanInput input, int name) {
    Tokens tokens = input.tokens();
    int close = input.clauses().partner(name + 1);
    if (close < 0) {
      return Optional.empty();
    }
    boolean distinct = tokens.isWord(name + 2, "distinct");
    Clauses.Range argument = new Clauses.Range(name + 2, close);
    boolean odd =
        tokens.isAnyWord(name + 2, "all", "variadic")
            || input.clauses().items(argument).size() != 1
            || has(tokens, argument, "order")
            || tokens.isAnyWord(close + 1, "over", "within");
    if (odd) {
      return Optional.empty();
    }
    Optional<Clauses.Range> filter = Optional.empty();
    int to = close + 1;
    if (tokens.isWord(to, "filter") && tokens.isSymbol(to + 1, "(")) {
      int end = input.clauses().partner(to + 1);
      filter = Optional.of(new Clauses.Range(to, end + 1));
      to = end + 1;
    }
    int from = tokens.isSymbol(name - 1, ".") ? name - 2 : name;
    if (tokens.isAnyWord(to, "over", "within")) {
      return Optional.empty();
    }
    return Optional.of(
        new AggregateCall(
            Names.of(tokens, name), new Clauses.Range(from, to), argument, filter, distinct));
  }

  private static boolean has(Tokens tokens, Clauses.Range range, String... words) {
    for (int i = range.from(); i < range.to(); i++) {
      if (tokens.isAnyWord(i, words)) {
        return true;
      }
    }
    return false;
  }

  private Finish.Kind kind() {
    return KNOWN.getOrDefault(function, Finish.Kind.SAME);
  }

  /** Whether rows that occur twice change nothing. */
  boolean ignoresDuplicates() {
    return distinct || kind() == Finish.Kind.SAME;
  }

  /**
   * Whether the aggregate of the shards' aggregates is that of all rows, digit by digit. A sum of
   * single-precision numbers has lost some when it is an average's part; the least text depends on
   * a collation that a partial result does not carry.
   *
   * @param columns the table's columns among the tokens of a range
   */
  boolean partial(PlanInput input, BiFunction<Clauses.Range, Set<Integer>, List<Column>> columns) {
    List<Column> used = columns.apply(argument, Set.of());
    return switch (kind()) {
      case AVERAGE ->
          used.stream().noneMatch(c -> c.typeOid() == FLOAT4)
              && !has(input.tokens(), argument, "real", "float4");
      case SAME ->
          !has(input.tokens(), argument, "collate")
              && used.stream()
                  .allMatch(c -> c.collation() == null || c.collation().equals("default"))
              && used.stream().allMatch(c -> c.typeOid() > 0 && c.typeOid() < FIRST_USER_OID);
      default -> true;
    };
  }

  /** What the shards compute for it. */
  List<TextTemplate> partials() {
    if (kind() != Finish.Kind.AVERAGE) {
      return List.of(new TextTemplate.Builder().add(range).build());
    }
    return List.of(part("pg_catalog.sum("), part("pg_catalog.count("));
  }

  private TextTemplate part(String call) {
    TextTemplate.Builder text = new TextTemplate.Builder().add(call).add(argument).add(") ");
    filter.ifPresent(text::add);
    return text.build();
  }

  Finish.Combined combined(List<String> columns, PlanInput input) {
    return new Finish.Combined(kind(), function, range, columns, label(input));
  }

  /** A lone call in the SELECT list gives its column its name, which ORDER BY may use. */
  private String label(PlanInput input) {
    Tokens tokens = input.tokens();
    int from = input.clauses().topLevel(1, "from");
    boolean lone =
        range.to() <= from
            && (tokens.isWord(range.from() - 1, "select")
                || (tokens.isSymbol(range.from() - 1, ",") && isTopLevel(input, range.from())))
            && (range.to() == from || tokens.isSymbol(range.to(), ","));
    return lone ? " AS " + Identifiers.quote(function) : "";
  }

  private static boolean isTopLevel(PlanInput input, int token) {
    int depth = 0;
    for (int i = 0; i < token; i++) {
      depth += input.tokens().isSymbol(i, "(") ? 1 : input.tokens().isSymbol(i, ")") ? -1 : 0;
    }
    return depth == 0;
  }
}
