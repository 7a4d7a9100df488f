package org.pgconcord.config.statistics;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.value.TableName;

/** Reads a table's statistics; the role must be able to read its columns. */
public final class StatisticsReader {
  private static final String ASK =
      "SELECT c.reltuples, s.attname, s.n_distinct, s.null_frac,"
          + " s.most_common_vals::text::text[], s.most_common_freqs"
          + " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
          + " JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname"
          + " WHERE n.nspname = ? AND c.relname = ? AND NOT s.inherited AND c.reltuples >= 0";

  private StatisticsReader() {}

  /** Empty for a table that was never analyzed. */
  public static Optional<EntryStatistics> read(Connection connection, TableName table)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(ASK)) {
      statement.setString(1, table.schema());
      statement.setString(2, table.name());
      double rows = 0;
      Map<String, ColumnStatistics> columns = new HashMap<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          rows = row.getDouble(1);
          columns.put(
              row.getString(2),
              new ColumnStatistics(
                  row.getDouble(3), row.getDouble(4), common(row.getArray(5), row.getArray(6))));
        }
      }
      return columns.isEmpty() ? Optional.empty() : Optional.of(new EntryStatistics(rows, columns));
    }
  }

  private static Map<String, Double> common(
      @org.jspecify.annotations.Nullable Array values,
      @org.jspecify.annotations.Nullable Array frequencies)
      throws SQLException {
    Map<String, Double> common = new HashMap<>();
    if (values != null && frequencies != null) {
      Object[] texts = (Object[]) values.getArray();
      Object[] numbers = (Object[]) frequencies.getArray();
      for (int i = 0; i < Math.min(texts.length, numbers.length); i++) {
        common.put(String.valueOf(texts[i]), ((Number) numbers[i]).doubleValue());
      }
    }
    return common;
  }
}
