package org.pgconcord.config.statistics;

import java.util.List;
import java.util.Map;

/**
 * The entries of an index on one lookup shard.
 *
 * @param entries how many there are
 * @param columns by name; columns that were never analyzed are missing
 */
public record EntryStatistics(double entries, Map<String, ColumnStatistics> columns) {
  public EntryStatistics {
    columns = Map.copyOf(columns);
  }

  /** How many entries a key has, one at least; its columns are taken to be independent. */
  public double entries(List<String> key, List<String> values) {
    double selectivity = 1;
    for (int i = 0; i < key.size(); i++) {
      ColumnStatistics column = columns.get(key.get(i));
      selectivity *= column == null ? 1 : column.selectivity(values.get(i), entries);
    }
    return Math.max(1, entries * selectivity);
  }

  /** How many combinations of these columns there are at most. */
  public double values(List<String> names) {
    double values = 1;
    for (String name : names) {
      ColumnStatistics column = columns.get(name);
      values *= column == null ? entries : column.values(entries);
    }
    return Math.min(Math.max(1, values), Math.max(1, entries));
  }
}
