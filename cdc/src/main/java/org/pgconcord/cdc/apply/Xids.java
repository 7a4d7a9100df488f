package org.pgconcord.cdc.apply;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.locks.LockSupport;

/** Transaction ids: the stream has their low 32 bits, snapshots compare all 64. */
public final class Xids {
  private static final Duration POLL = Duration.ofMillis(2);
  private static final long CYCLE = 1L << 32;

  private Xids() {}

  /**
   * The full id that ends in {@code low} and lies nearest to {@code near}: right for every id that
   * a running server still knows, since those span less than half of the 32-bit circle.
   *
   * @param near any full id of that time, such as a snapshot's {@code xmax}
   */
  public static long widen(long low, long near) {
    long full = (near & -CYCLE) | (low & (CYCLE - 1));
    if (full - near > CYCLE / 2) {
      return full - CYCLE;
    }
    return near - full > CYCLE / 2 ? full + CYCLE : full;
  }

  /** Waits until a new snapshot sees all of these. */
  static void awaitVisible(Connection connection, Collection<Long> low) throws SQLException {
    while (!low.isEmpty() && !allVisible(connection, low)) {
      LockSupport.parkNanos(POLL.toNanos());
      if (Thread.currentThread().isInterrupted()) {
        throw new SQLException("interrupted while waiting for transactions to end", "57014");
      }
    }
  }

  /**
   * Whether every one of these committed transactions can be seen by a new snapshot. The log tells
   * of a commit before its transaction leaves the list of running ones, and a synchronous standby
   * can stretch the time between.
   */
  private static boolean allVisible(Connection connection, Collection<Long> low)
      throws SQLException {
    long near;
    try (PreparedStatement statement =
            connection.prepareStatement(
                "SELECT pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text");
        ResultSet row = statement.executeQuery()) {
      row.next();
      near = Long.parseLong(row.getString(1));
    }
    Object[] full = low.stream().map(xid -> Long.toString(widen(xid, near))).toArray();
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT COALESCE(bool_and(pg_catalog.pg_visible_in_snapshot(x::xid8,"
                + " pg_catalog.pg_current_snapshot())), true) FROM unnest(?) AS x")) {
      Array array = connection.createArrayOf("text", full);
      statement.setArray(1, array);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getBoolean(1);
      }
    }
  }
}
