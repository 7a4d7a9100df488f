package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.pgconcord.router.sql.PredicateView;

/**
 * One appearance of a sharded table in FROM, or as the target of a write.
 *
 * @param alias the name that columns are qualified with there
 * @param key its shard key
 * @param values for each column of the key the values that it can have in the rows that matter;
 *     empty where that is not known
 * @param given conditions that give its columns values, in each of its rows that matters
 * @param place where it stands
 */
public record TableUse(
    DeclaredTable table,
    String alias,
    DeclaredTable.ShardKey key,
    List<List<PinnedValue>> values,
    List<PredicateView.OneOf> given,
    Place place) {
  /** More combinations of values of several columns than this are not looked at one by one. */
  private static final long MAX_COMBINATIONS = 1_000;

  /**
   * Where a table is named.
   *
   * @param token index of the first token of its name; -1 when not known
   * @param renamed its alias gives other names to its columns
   * @param nullable an outer join can fill its columns with NULLs, or whether it can is not known
   * @param block the same number for the tables of one FROM clause
   */
  public record Place(int token, boolean renamed, boolean nullable, int block) {}

  public TableUse {
    values = values.stream().map(List::copyOf).toList();
    given = List.copyOf(given);
  }

  /** Without its key. */
  public TablePlace at() {
    return new TablePlace(table, alias, place);
  }

  public boolean pinned() {
    return unpinned().isEmpty() && (values.size() == 1 || combinations() <= MAX_COMBINATIONS);
  }

  private long combinations() {
    return values.stream().mapToLong(List::size).reduce(1, (a, b) -> Math.min(a, 1 << 20) * b);
  }

  /** The columns of the key that no value is known for. */
  public List<String> unpinned() {
    return IntStream.range(0, values.size())
        .filter(i -> values.get(i).isEmpty())
        .mapToObj(i -> key.columns().get(i).name())
        .toList();
  }

  /** All keys that the rows that matter can have: each combination of the columns' values. */
  public List<List<PinnedValue>> keys() {
    List<List<PinnedValue>> keys = List.of(List.of());
    for (List<PinnedValue> column : values) {
      List<List<PinnedValue>> longer = new ArrayList<>();
      for (List<PinnedValue> key : keys) {
        for (PinnedValue value : column) {
          List<PinnedValue> next = new ArrayList<>(key);
          next.add(value);
          longer.add(next);
        }
      }
      keys = longer;
    }
    return keys;
  }

  /** Why the table is not pinned. */
  public String whyNot() {
    if (unpinned().isEmpty()) {
      return "more than %d combinations of values for the shard key %s of %s"
          .formatted(MAX_COMBINATIONS, key.names(), table.name());
    }
    return unpinned().stream()
        .collect(
            Collectors.joining(
                "\", \"",
                "no equality with a constant on the shard key \"",
                "\" of " + table.name()));
  }
}
