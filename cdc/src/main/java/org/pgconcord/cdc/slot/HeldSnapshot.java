package org.pgconcord.cdc.slot;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.value.Lsn;

/**
 * A new slot's exported snapshot: what was committed before {@link #consistentPoint} is in the
 * snapshot, what commits after it is in the stream, nothing is in both. It lives while the session
 * that made the slot stays open and idle; so nothing may be sent on that session, and closing this
 * object ends it. Sessions that have imported the snapshot keep it.
 */
public final class HeldSnapshot implements AutoCloseable {
  private final StreamName stream;
  private final String slot;
  private final Lsn consistentPoint;
  private final String snapshotName;
  private final int backend;
  private final Connection holder;

  HeldSnapshot(
      StreamName stream,
      String slot,
      Lsn consistentPoint,
      String snapshotName,
      int backend,
      Connection holder) {
    this.stream = stream;
    this.slot = slot;
    this.consistentPoint = consistentPoint;
    this.snapshotName = snapshotName;
    this.backend = backend;
    this.holder = holder;
  }

  public StreamName stream() {
    return stream;
  }

  public String slot() {
    return slot;
  }

  public Lsn consistentPoint() {
    return consistentPoint;
  }

  /** For {@code SET TRANSACTION SNAPSHOT}. */
  public String snapshotName() {
    return snapshotName;
  }

  /** Whether the snapshot can still be imported, asked over another session of the same server. */
  public boolean isAlive(Connection other) throws SQLException {
    if (holder.isClosed()) {
      // The server ends the backend a moment after the session has been closed here.
      return false;
    }
    try (PreparedStatement statement =
        other.prepareStatement(
            "SELECT 1 FROM pg_catalog.pg_stat_activity WHERE pid = ? AND state LIKE 'idle%'")) {
      statement.setInt(1, backend);
      try (ResultSet row = statement.executeQuery()) {
        return row.next();
      }
    }
  }

  /** Lets the snapshot go; the slot stays. */
  @Override
  public void close() {
    try {
      holder.close();
    } catch (SQLException e) {
      // The session is gone already, and the snapshot with it.
    }
  }
}
