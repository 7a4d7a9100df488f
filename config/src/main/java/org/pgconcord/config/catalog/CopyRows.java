package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** The statements of {@link Catalog} about marks and about how the last daemon ended. */
final class CopyRows {
  private CopyRows() {}

  static CopyMarks marks(Connection connection) throws SQLException {
    Map<CopiedTable, Map<ShardId, String>> marks = new HashMap<>();
    long version = 0;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT database, schema, name, shard, state, reason, version"
                    + " FROM pgconcord.copy")) {
      while (row.next()) {
        version = Math.max(version, row.getLong(7));
        if (row.getString(5).equals("unequal")) {
          marks
              .computeIfAbsent(
                  new CopiedTable(
                      row.getString(1), new TableName(row.getString(2), row.getString(3))),
                  t -> new HashMap<>())
              .put(new ShardId(row.getString(4)), row.getString(6));
        }
      }
    }
    return new CopyMarks(version, marks);
  }

  /** Marks, or with an empty reason clears; the caller holds the lock of all changes. */
  static void store(
      Connection connection, CopiedTable table, Collection<ShardId> shards, String reason)
      throws SQLException {
    try (PreparedStatement upsert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.copy AS c (database, schema, name, shard, state, reason,"
                + " version) SELECT ?, ?, ?, ?, ?, ?, coalesce(max(version), 0) + 1"
                + " FROM pgconcord.copy ON CONFLICT (database, schema, name, shard) DO UPDATE"
                + " SET state = excluded.state, reason = excluded.reason,"
                + " version = excluded.version, changed_at = now()")) {
      for (ShardId shard : new TreeSet<>(shards)) {
        table(upsert, table);
        upsert.setString(4, shard.uid());
        upsert.setString(5, reason.isEmpty() ? "equal" : "unequal");
        upsert.setString(6, reason);
        upsert.executeUpdate();
      }
    }
  }

  static Map<ShardId, CopyStatus> statuses(Connection connection, CopiedTable table)
      throws SQLException {
    Map<ShardId, CopyStatus> statuses = new TreeMap<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT shard, state, reason, changed_at FROM pgconcord.copy"
                + " WHERE database = ? AND schema = ? AND name = ?")) {
      table(query, table);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          ShardId shard = new ShardId(row.getString(1));
          statuses.put(
              shard,
              new CopyStatus(
                  shard,
                  row.getString(2).equals("unequal"),
                  row.getString(3),
                  row.getObject(4, OffsetDateTime.class).toInstant()));
        }
      }
    }
    return statuses;
  }

  private static void table(PreparedStatement statement, CopiedTable table) throws SQLException {
    statement.setString(1, table.database());
    statement.setString(2, table.table().schema());
    statement.setString(3, table.table().name());
  }

  /**
   * True when the last run did not end cleanly. A catalog of before this was noted counts as such,
   * unless nothing has been applied to it yet.
   */
  static boolean beginRun(Connection connection) throws SQLException {
    boolean clean;
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT coalesce((SELECT clean FROM pgconcord.run),"
                    + " NOT EXISTS (SELECT 1 FROM pgconcord.topology))")) {
      row.next();
      clean = row.getBoolean(1);
    }
    end(connection, false);
    return !clean;
  }

  static int endRun(Connection connection) throws SQLException {
    return end(connection, true);
  }

  private static int end(Connection connection, boolean clean) throws SQLException {
    try (PreparedStatement upsert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.run (clean) VALUES (?) ON CONFLICT (singleton) DO UPDATE"
                + " SET clean = excluded.clean, changed_at = now()")) {
      upsert.setBoolean(1, clean);
      return upsert.executeUpdate();
    }
  }
}
