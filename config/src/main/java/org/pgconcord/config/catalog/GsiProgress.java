package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import java.util.OptionalLong;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/**
 * A row of {@code progress_now}: the newest progress line of an index on an owner shard, for people
 * who ask with SQL. Nothing is decided on it.
 *
 * @param etaSeconds until the phase ends; empty when it cannot be told
 */
public record GsiProgress(
    GsiName gsi,
    ShardId shard,
    String phase,
    long rows,
    long rowsEstimated,
    double percent,
    long rowsPerSecond,
    OptionalLong etaSeconds,
    long lagBytes,
    double lagSeconds,
    long walRetainedBytes) {

  /**
   * A row may be lost in a crash, since the next line writes it again; so no standby and no disk is
   * waited for, and no lock for long.
   */
  private static final String IN_PASSING =
      "SET LOCAL synchronous_commit = off; SET LOCAL statement_timeout = '5s'";

  private static final String UPSERT =
      """
      INSERT INTO pgconcord.progress_now (database, name, shard, phase, rows, rows_estimated,
        percent, rows_per_second, eta_seconds, lag_bytes, lag_seconds, wal_retained_bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (database, name, shard) DO UPDATE SET phase = excluded.phase,
        rows = excluded.rows, rows_estimated = excluded.rows_estimated,
        percent = excluded.percent, rows_per_second = excluded.rows_per_second,
        eta_seconds = excluded.eta_seconds, lag_bytes = excluded.lag_bytes,
        lag_seconds = excluded.lag_seconds, wal_retained_bytes = excluded.wal_retained_bytes,
        updated_at = now()
      """;

  /** Writes the rows in the caller's transaction, in one batch. */
  static int store(Connection connection, List<GsiProgress> all) throws SQLException {
    try (Statement passing = connection.createStatement();
        PreparedStatement upsert = connection.prepareStatement(UPSERT)) {
      passing.execute(IN_PASSING);
      for (GsiProgress each : all) {
        each.bind(upsert);
        upsert.addBatch();
      }
      return upsert.executeBatch().length;
    }
  }

  private void bind(PreparedStatement upsert) throws SQLException {
    upsert.setString(1, gsi.database());
    upsert.setString(2, gsi.name());
    upsert.setString(3, shard.uid());
    upsert.setString(4, phase);
    upsert.setLong(5, rows);
    upsert.setLong(6, rowsEstimated);
    upsert.setDouble(7, percent);
    upsert.setLong(8, rowsPerSecond);
    if (etaSeconds.isPresent()) {
      upsert.setLong(9, etaSeconds.getAsLong());
    } else {
      upsert.setNull(9, Types.BIGINT);
    }
    upsert.setLong(10, lagBytes);
    upsert.setDouble(11, lagSeconds);
    upsert.setLong(12, walRetainedBytes);
  }
}
