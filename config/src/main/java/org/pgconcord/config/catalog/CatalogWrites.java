package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** The changing statements of {@link Catalog}; each runs inside its transaction. */
final class CatalogWrites {
  /** One order for all writers: two batches that share rows must not wait for each other. */
  private static final Comparator<Conflict> ORDER =
      Comparator.comparing(Conflict::key)
          .thenComparing(Conflict::shard)
          .thenComparing(Conflict::shardKey)
          .thenComparing(Conflict::primaryKey);

  private CatalogWrites() {}

  static void step(Connection connection, GsiStep step, GsiStatus next, long revision)
      throws SQLException {
    try (PreparedStatement update =
            connection.prepareStatement(
                "UPDATE pgconcord.gsi SET state = ?, reason = ?, epoch = ?,"
                    + " report_id = coalesce(?, report_id), changed_at = now()"
                    + " WHERE database = ? AND name = ?");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO pgconcord.step (revision, database, name, from_state, to_state,"
                    + " reason, epoch, report_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {
      update.setString(1, next.state().word());
      update.setString(2, next.reason());
      update.setLong(3, next.epoch());
      setLong(update, 4, step.report());
      name(update, 5, step.gsi());
      update.executeUpdate();
      insert.setLong(1, revision);
      name(insert, 2, step.gsi());
      insert.setString(4, step.from().word());
      insert.setString(5, step.to().word());
      insert.setString(6, step.reason());
      insert.setLong(7, next.epoch());
      setLong(insert, 8, step.report());
      insert.executeUpdate();
    }
  }

  static long report(
      Connection connection,
      StoredReport.Kind kind,
      String subject,
      boolean clean,
      long revision,
      String json)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.report (kind, subject, clean, revision, document)"
                + " VALUES (?, ?, ?, ?, ?::jsonb) RETURNING id")) {
      insert.setString(1, kind.word());
      insert.setString(2, subject);
      insert.setBoolean(3, clean);
      insert.setLong(4, revision);
      insert.setString(5, json);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  static int conflicts(Connection connection, GsiName gsi, List<Conflict> conflicts)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.conflict (database, name, key, shard, shard_key, primary_key)"
                + " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")) {
      for (Conflict conflict : conflicts.stream().sorted(ORDER).toList()) {
        name(insert, 1, gsi);
        insert.setString(3, conflict.key());
        insert.setString(4, conflict.shard().uid());
        insert.setString(5, conflict.shardKey());
        insert.setString(6, conflict.primaryKey());
        insert.addBatch();
      }
      return insert.executeBatch().length;
    }
  }

  static int suspects(Connection connection, GsiName gsi, List<String> keys) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.suspect (database, name, key) VALUES (?, ?, ?)"
                + " ON CONFLICT DO NOTHING")) {
      for (String key : keys.stream().sorted().toList()) {
        name(insert, 1, gsi);
        insert.setString(3, key);
        insert.addBatch();
      }
      return insert.executeBatch().length;
    }
  }

  static int delete(Connection connection, String table, GsiName gsi, String key)
      throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement(
            "DELETE FROM pgconcord." + table + " WHERE database = ? AND name = ? AND key = ?")) {
      name(delete, 1, gsi);
      delete.setString(3, key);
      return delete.executeUpdate();
    }
  }

  static int clear(Connection connection, String table, GsiName gsi) throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement(
            "DELETE FROM pgconcord." + table + " WHERE database = ? AND name = ?")) {
      name(delete, 1, gsi);
      return delete.executeUpdate();
    }
  }

  static int servers(Connection connection, Map<ShardId, ServerIdentity> servers)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.server AS known (shard, system_identifier, timeline, version,"
                + " settled) VALUES (?, ?, ?, ?, ?) ON CONFLICT (shard) DO UPDATE SET timeline ="
                + " excluded.timeline, version = excluded.version, seen_at = now()"
                + " WHERE known.system_identifier = excluded.system_identifier"
                + " AND known.timeline <= excluded.timeline")) {
      for (Map.Entry<ShardId, ServerIdentity> server :
          new java.util.TreeMap<>(servers).entrySet()) {
        insert.setString(1, server.getKey().uid());
        insert.setLong(2, server.getValue().systemIdentifier());
        insert.setInt(3, server.getValue().timeline());
        insert.setInt(4, server.getValue().version());
        insert.setInt(5, server.getValue().timeline());
        insert.addBatch();
      }
      return insert.executeBatch().length;
    }
  }

  static int serverSettled(Connection connection, ShardId shard, int timeline) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE pgconcord.server SET settled = ? WHERE shard = ? AND settled < ?")) {
      update.setInt(1, timeline);
      update.setString(2, shard.uid());
      update.setInt(3, timeline);
      return update.executeUpdate();
    }
  }

  private static void name(PreparedStatement statement, int first, GsiName gsi)
      throws SQLException {
    statement.setString(first, gsi.database());
    statement.setString(first + 1, gsi.name());
  }

  private static void setLong(PreparedStatement statement, int at, OptionalLong value)
      throws SQLException {
    if (value.isPresent()) {
      statement.setLong(at, value.getAsLong());
    } else {
      statement.setNull(at, Types.BIGINT);
    }
  }
}
