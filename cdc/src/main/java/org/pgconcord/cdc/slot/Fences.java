package org.pgconcord.cdc.slot;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.pgconcord.config.value.Lsn;

/**
 * Marks in a server's log. A non-transactional message needs no table and no publication, and it
 * divides the stream: whatever committed before it is delivered before it.
 *
 * <p>Such a message is not flushed by itself, and a walsender sends only what is flushed; on an
 * idle server it could wait for the next checkpoint. So each statement also takes a transaction id:
 * a commit with an id flushes the log up to itself, the message before it.
 */
public final class Fences {
  /** The prefix of every message of ours. */
  public static final String PREFIX = "pgconcord";

  /** For a reader that marks time itself. */
  public static final String HEARTBEAT_SQL =
      "SELECT pg_catalog.pg_logical_emit_message(false, '"
          + PREFIX
          + "', 'heartbeat'), pg_catalog.pg_current_xact_id()";

  private Fences() {}

  /**
   * Writes a mark and commits. Every transaction that committed on this server before the call is
   * delivered before the mark.
   *
   * @param connection in auto-commit
   * @return where the mark ends
   */
  public static Lsn emit(Connection connection, String content) throws SQLException {
    String sql =
        "SELECT pg_catalog.pg_logical_emit_message(false, '"
            + PREFIX
            + "', ?)::text, pg_catalog.pg_current_xact_id()";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, content);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return Lsn.parse(row.getString(1));
      }
    }
  }

  /** The end of the server's log at this moment. */
  public static Lsn position(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT pg_catalog.pg_current_wal_insert_lsn()::text");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return Lsn.parse(row.getString(1));
    }
  }
}
