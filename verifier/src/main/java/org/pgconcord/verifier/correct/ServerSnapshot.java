package org.pgconcord.verifier.correct;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.sum.PinnedSettings;

/**
 * An open REPEATABLE READ transaction on one server.
 *
 * @param position a position of the log that was reached after the snapshot was taken: every
 *     transaction that the snapshot sees has committed before it
 * @param takenAt by the server's clock
 */
public record ServerSnapshot(
    ShardId shard, Connection transaction, XidSnapshot visible, Lsn position, Instant takenAt) {

  /** Takes a snapshot in a session, whose transaction stays open. */
  static ServerSnapshot take(ShardId shard, Connection session) throws SQLException {
    session.setAutoCommit(false);
    session.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    session.setReadOnly(true);
    PinnedSettings.pin(session);
    try (Statement statement = session.createStatement()) {
      XidSnapshot visible;
      try (ResultSet row = statement.executeQuery("SELECT pg_current_snapshot()::text")) {
        row.next();
        visible = XidSnapshot.parse(row.getString(1));
      }
      try (ResultSet row =
          statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text, clock_timestamp()")) {
        row.next();
        Lsn position = Lsn.parse(row.getString(1));
        return new ServerSnapshot(
            shard, session, visible, position, row.getTimestamp(2).toInstant());
      }
    }
  }
}
