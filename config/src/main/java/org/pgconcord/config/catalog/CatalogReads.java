package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** The reading statements of {@link Catalog}, but for documents, copies and fences. */
final class CatalogReads {
  private CatalogReads() {}

  /** The newest report that a condition (of this class's callers, never a user's) selects. */
  static Optional<StoredReport> report(Connection connection, String condition, Object... values)
      throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT id, kind, subject, clean, revision, stored_at, document FROM pgconcord.report"
                + " WHERE "
                + condition
                + " ORDER BY id DESC LIMIT 1")) {
      for (int i = 0; i < values.length; i++) {
        query.setObject(i + 1, values[i]);
      }
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? Optional.of(report(row)) : Optional.empty();
      }
    }
  }

  private static StoredReport report(ResultSet row) throws SQLException {
    return new StoredReport(
        row.getLong(1),
        StoredReport.Kind.valueOf(row.getString(2).toUpperCase(Locale.ROOT)),
        row.getString(3),
        row.getBoolean(4),
        row.getLong(5),
        row.getObject(6, OffsetDateTime.class).toInstant(),
        row.getString(7));
  }

  static OptionalLong reportOf(Connection connection, GsiName gsi) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT report_id FROM pgconcord.gsi"
                + " WHERE database = ? AND name = ? AND report_id IS NOT NULL")) {
      query.setString(1, gsi.database());
      query.setString(2, gsi.name());
      try (ResultSet row = query.executeQuery()) {
        return row.next() ? OptionalLong.of(row.getLong(1)) : OptionalLong.empty();
      }
    }
  }

  static List<Conflict> conflicts(Connection connection, GsiName gsi, int limit)
      throws SQLException {
    List<Conflict> conflicts = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT key, shard, shard_key, primary_key FROM pgconcord.conflict AS c"
                + " WHERE database = ? AND name = ? AND (primary_key <> '' OR NOT EXISTS ("
                + "SELECT FROM pgconcord.conflict AS known WHERE known.database = c.database"
                + " AND known.name = c.name AND known.key = c.key AND known.shard = c.shard"
                + " AND known.shard_key = c.shard_key AND known.primary_key <> ''))"
                + " ORDER BY key, shard, primary_key LIMIT ?")) {
      query.setString(1, gsi.database());
      query.setString(2, gsi.name());
      query.setInt(3, limit);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          conflicts.add(
              new Conflict(
                  row.getString(1),
                  new ShardId(row.getString(2)),
                  row.getString(3),
                  row.getString(4)));
        }
      }
    }
    return conflicts;
  }

  static long count(Connection connection, String table, GsiName gsi) throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT count(DISTINCT key) FROM pgconcord."
                + table
                + " WHERE database = ? AND name = ?")) {
      query.setString(1, gsi.database());
      query.setString(2, gsi.name());
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  static List<String> suspects(Connection connection, GsiName gsi, int limit) throws SQLException {
    List<String> keys = new ArrayList<>();
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT key FROM pgconcord.suspect WHERE database = ? AND name = ?"
                + " ORDER BY added_at, key LIMIT ?")) {
      query.setString(1, gsi.database());
      query.setString(2, gsi.name());
      query.setInt(3, limit);
      try (ResultSet row = query.executeQuery()) {
        while (row.next()) {
          keys.add(row.getString(1));
        }
      }
    }
    return keys;
  }

  static Map<ShardId, ServerIdentity> servers(Connection connection) throws SQLException {
    Map<ShardId, ServerIdentity> servers = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT shard, system_identifier, timeline, version FROM pgconcord.server")) {
      while (row.next()) {
        servers.put(
            new ShardId(row.getString(1)),
            new ServerIdentity(row.getLong(2), row.getInt(3), row.getInt(4)));
      }
    }
    return servers;
  }

  /** The servers on which the indexes stand, and which shards have another one by now. */
  static Stands stands(Connection connection) throws SQLException {
    Map<ShardId, ServerIdentity> settled = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT shard, system_identifier, settled, version FROM pgconcord.server")) {
      while (row.next()) {
        settled.put(
            new ShardId(row.getString(1)),
            new ServerIdentity(row.getLong(2), row.getInt(3), row.getInt(4)));
      }
    }
    return new Stands(settled, changedServers(connection).keySet());
  }

  /** Shards with another server than the one that the indexes stand on, and its timeline. */
  static Map<ShardId, Integer> changedServers(Connection connection) throws SQLException {
    Map<ShardId, Integer> changed = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT shard, timeline FROM pgconcord.server WHERE settled < timeline")) {
      while (row.next()) {
        changed.put(new ShardId(row.getString(1)), row.getInt(2));
      }
    }
    return changed;
  }

  static Map<GsiName, GsiStatus> gsis(Connection connection) throws SQLException {
    Map<GsiName, GsiStatus> gsis = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT database, name, state, reason, epoch FROM pgconcord.gsi")) {
      while (row.next()) {
        gsis.put(
            new GsiName(row.getString(1), row.getString(2)),
            new GsiStatus(
                GsiState.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                row.getString(4),
                row.getLong(5)));
      }
    }
    return gsis;
  }
}
