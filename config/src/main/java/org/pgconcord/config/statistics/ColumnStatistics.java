package org.pgconcord.config.statistics;

import java.util.Map;

/**
 * One column as {@code pg_stats} describes it (PostgreSQL manual, "pg_stats").
 *
 * @param distinct how many values it has; below 0 the negative of their number divided by that of
 *     the rows
 * @param nulls the fraction of NULLs
 * @param common the most common values, as texts, with the fraction of the rows that each has
 */
public record ColumnStatistics(double distinct, double nulls, Map<String, Double> common) {
  public ColumnStatistics {
    common = Map.copyOf(common);
  }

  /** How many values it has among so many rows, one at least. */
  double values(double rows) {
    return Math.max(1, distinct < 0 ? -distinct * rows : distinct);
  }

  /** The fraction of rows that have the value, as PostgreSQL's var_eq_const estimates it. */
  double selectivity(String value, double rows) {
    Double known = common.get(value);
    if (known != null) {
      return known;
    }
    double rest = 1 - nulls - common.values().stream().mapToDouble(f -> f).sum();
    double others = Math.max(1, values(rows) - common.size());
    return Math.max(0, rest) / others;
  }
}
