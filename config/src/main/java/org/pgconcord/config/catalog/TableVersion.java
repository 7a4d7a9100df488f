package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import org.pgconcord.config.schema.TableTrace;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * How often the definition of a table of an index was seen to change on one shard, durable over
 * restarts. The number grows with every change that somebody saw, one that led back to an earlier
 * definition too.
 *
 * @param version 1 at the first look
 * @param digest of {@link TableTrace}
 * @param seenAt when this version was first seen, by the catalog's clock
 * @param at where the shard's log stood then
 */
public record TableVersion(
    ShardId shard, TableName table, long version, String digest, Instant seenAt, Lsn at) {

  /** Names the table in reports. */
  public String place() {
    return shard.uid() + "/" + table;
  }

  /** Names the version in reports. */
  public String mark() {
    return version + ":" + digest;
  }

  /** Notes what was read and returns the version that it is. */
  static TableVersion note(
      Connection connection, GsiName gsi, ShardId shard, TableName table, TableTrace trace)
      throws SQLException {
    try (PreparedStatement upsert =
            connection.prepareStatement(
                "INSERT INTO pgconcord.table_version AS v"
                    + " (database, name, shard, table_name, version, digest, lsn)"
                    + " VALUES (?, ?, ?, ?, 1, ?, CAST(? AS pg_lsn))"
                    + " ON CONFLICT (database, name, shard, table_name) DO UPDATE"
                    + " SET version = v.version + 1, digest = excluded.digest,"
                    + " lsn = excluded.lsn, seen_at = now() WHERE v.digest <> excluded.digest");
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT version, digest, seen_at, lsn::text FROM pgconcord.table_version"
                    + " WHERE database = ? AND name = ? AND shard = ? AND table_name = ?")) {
      place(upsert, gsi, shard, table);
      upsert.setString(5, trace.digest());
      upsert.setString(6, trace.at().toString());
      upsert.executeUpdate();
      place(query, gsi, shard, table);
      try (ResultSet row = query.executeQuery()) {
        row.next();
        return new TableVersion(
            shard,
            table,
            row.getLong(1),
            row.getString(2),
            row.getObject(3, OffsetDateTime.class).toInstant(),
            Lsn.parse(row.getString(4)));
      }
    }
  }

  private static void place(
      PreparedStatement statement, GsiName gsi, ShardId shard, TableName table)
      throws SQLException {
    statement.setString(1, gsi.database());
    statement.setString(2, gsi.name());
    statement.setString(3, shard.uid());
    statement.setString(4, table.toString());
  }
}
