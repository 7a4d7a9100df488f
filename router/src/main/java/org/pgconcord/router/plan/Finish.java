package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.SqlReplacement;

/**
 * What becomes of a query's own text when its rows have been reduced on their shards: aggregates
 * are taken over the shards' aggregates, and the WHERE clause, which has been applied, is gone.
 *
 * @param gone tokens that are left out
 * @param combined aggregates that are taken over partial ones
 */
public record Finish(List<Clauses.Range> gone, List<Combined> combined) {
  /** The query as it is. */
  static final Finish NOTHING = new Finish(List.of(), List.of());

  private static final int INT8 = 20;
  private static final int NUMERIC = 1700;
  private static final int FLOAT8 = 701;
  private static final int INTERVAL = 1186;

  public Finish {
    gone = List.copyOf(gone);
    combined = List.copyOf(combined);
  }

  /** How partial results are put together. */
  enum Kind {
    COUNT,
    SUM,
    AVERAGE,
    /** The aggregate of the aggregates: min, max, bool_and and the like. */
    SAME
  }

  /**
   * One call of an aggregate.
   *
   * @param function its name, folded
   * @param columns the partial results, quoted: one, or sum and count of an average
   * @param label {@code AS "name"} where the result would get another name than the call's
   */
  record Combined(
      Kind kind, String function, Clauses.Range call, List<String> columns, String label) {
    Combined {
      columns = List.copyOf(columns);
    }

    private Combined within(Clauses.Range range) {
      return new Combined(kind, function, call.shifted(range.from()), columns, label);
    }

    private String text(Function<String, Integer> typeOf) {
      String first = columns.get(0);
      return switch (kind) {
        case COUNT -> "(COALESCE(pg_catalog.sum(%s), 0)::pg_catalog.int8)".formatted(first);
        case SUM ->
            "(pg_catalog.sum(%s)::%s)"
                .formatted(first, GatheredType.of(typeOf.apply(first)).name());
        case SAME ->
            "pg_catalog.%s(%s%s)"
                .formatted(function, first, GatheredType.of(typeOf.apply(first)).cast());
        case AVERAGE -> average(typeOf.apply(first));
      };
    }

    private String shape() {
      return switch (kind) {
        case COUNT -> "COALESCE(sum(%s), 0)".formatted(columns.get(0));
        case SUM -> "sum(%s)".formatted(columns.get(0));
        case SAME -> "%s(%s)".formatted(function, columns.get(0));
        case AVERAGE -> "(sum(%s) / NULLIF(sum(%s), 0))".formatted(columns.get(0), columns.get(1));
      };
    }

    /**
     * PostgreSQL divides the sum by the count: as numeric for integers and numeric, else as double
     * precision or interval.
     */
    private String average(int sumType) {
      return switch (sumType) {
        case INT8, NUMERIC ->
            "(pg_catalog.sum(%s)::pg_catalog.numeric / NULLIF(pg_catalog.sum(%s), 0))"
                .formatted(columns.get(0), columns.get(1));
        case FLOAT8, INTERVAL ->
            "(pg_catalog.sum(%s) / NULLIF(pg_catalog.sum(%s), 0)::pg_catalog.float8)"
                .formatted(columns.get(0), columns.get(1));
        default ->
            throw ErrorCode.QUERY_NEEDS_MERGE.because(
                "an average of values of this type over several shards");
      };
    }
  }

  /** The same for a query that is the tokens of a range of a statement. */
  Finish within(Clauses.Range range) {
    return new Finish(
        gone.stream().map(r -> r.shifted(range.from())).toList(),
        combined.stream().map(one -> one.within(range)).toList());
  }

  /** Both, in different places. */
  Finish and(Finish other) {
    return new Finish(
        Stream.concat(gone.stream(), other.gone.stream()).toList(),
        Stream.concat(combined.stream(), other.combined.stream()).toList());
  }

  /**
   * The replacements in the query's text.
   *
   * @param typeOf the type oid of a fetched column, by its quoted name
   */
  public List<SqlReplacement> replacements(Function<String, Integer> typeOf) {
    List<SqlReplacement> all = new ArrayList<>();
    gone.forEach(range -> all.add(new SqlReplacement(range.from(), range.to(), "")));
    combined.forEach(
        one ->
            all.add(
                new SqlReplacement(one.call.from(), one.call.to(), one.text(typeOf) + one.label)));
    return all;
  }

  /** As {@link #replacements}, before the types are known, without the casts that need them. */
  List<SqlReplacement> shape() {
    List<SqlReplacement> all = new ArrayList<>();
    gone.forEach(range -> all.add(new SqlReplacement(range.from(), range.to(), "")));
    combined.forEach(
        one ->
            all.add(new SqlReplacement(one.call.from(), one.call.to(), one.shape() + one.label)));
    return all;
  }

  /** For EXPLAIN (ROUTER): the aggregates that are put together; empty when there are none. */
  String words() {
    return combined.stream().map(Combined::function).distinct().collect(Collectors.joining(", "));
  }
}
