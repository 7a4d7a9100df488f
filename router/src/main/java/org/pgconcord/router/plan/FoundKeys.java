package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What is known of the rows of the target that the rows of a query name: columns of theirs are
 * equal to columns of it.
 *
 * @param equal these
 * @param shardKey the target's, with its alias; empty where it is not sharded
 * @param added how many columns behind the query's own are the shard key of the row that is named
 */
record FoundKeys(List<Equal> equal, List<String> shardKey, int added) {
  FoundKeys {
    equal = List.copyOf(equal);
    shardKey = List.copyOf(shardKey);
  }

  /**
   * A column of the target, as the statement names it, and one of the query.
   *
   * @param named the column's own name
   * @param place of the query's column, from 0; -1 where it goes by its name
   */
  record Equal(String column, String named, int place, String name) {
    private int in(FoundValues rows) {
      return place >= 0 ? place : rows.columns().indexOf(name);
    }
  }

  /** True for the rows that are named, and for some others at most; empty if nothing is known. */
  String condition(FoundValues rows) {
    if (rows.none()) {
      return nowhere();
    }
    List<String> columns = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (Equal each : equal) {
      if (each.in(rows) >= 0) {
        columns.add(each.column());
        places.add(each.in(rows));
      }
    }
    for (int i = 0; i < added; i++) {
      columns.add(shardKey.get(i));
      places.add(rows.columns().size() - added + i);
    }
    return columns.isEmpty() ? "" : list(columns, places, rows);
  }

  private static String list(List<String> columns, List<Integer> places, FoundValues rows) {
    boolean one = columns.size() == 1;
    String left = String.join(", ", columns);
    return IntStream.range(0, rows.rows())
        .mapToObj(row -> rows.values(row, places))
        .map(row -> one ? row : "(" + row + ")")
        .collect(Collectors.joining(", ", (one ? left : "(" + left + ")") + " IN (", ")"));
  }

  /** True for no row, and said so that one shard can answer. */
  private String nowhere() {
    return shardKey.isEmpty()
        ? "false"
        : shardKey.stream().map(c -> c + " IN (NULL)").collect(Collectors.joining(" AND "));
  }
}
