package org.pgconcord.router.plan;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The values of the rows of a query that ran before its statement: parameters behind the client's
 * own, row by row.
 *
 * @param before how many parameters the client has
 * @param rows how many rows; one of NULLs where there are none
 * @param none the query has no row
 * @param columns the names of its columns
 */
public record FoundValues(int before, int rows, boolean none, List<String> columns) {
  public FoundValues {
    columns = List.copyOf(columns);
  }

  /** One value. */
  String value(int row, int column) {
    return "$" + (before + row * columns.size() + column + 1);
  }

  /** Some values of a row. */
  String values(int row, List<Integer> places) {
    return places.stream().map(place -> value(row, place)).collect(Collectors.joining(", "));
  }

  /** The places of the first columns. */
  List<Integer> first(int count) {
    return IntStream.range(0, count).boxed().toList();
  }
}
