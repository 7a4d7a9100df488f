package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.pgconcord.config.value.Lsn;

/**
 * The row that says how far a stream has been applied to a target. It is written in the transaction
 * that writes the entries, on the target's own server: the two are never apart.
 *
 * @param stream the owner shard's uid
 * @param target the GSI's or table's full name
 * @param commitLsn the end of the last source transaction applied
 * @param epoch the target's epoch under which that was done
 */
public record Progress(String stream, String target, Lsn commitLsn, long epoch) {

  /** The stored row, if any. */
  public static Optional<Progress> read(Connection connection, String stream, String target)
      throws SQLException {
    try (PreparedStatement query =
        connection.prepareStatement(
            "SELECT commit_lsn::text, epoch FROM pgconcord.progress"
                + " WHERE stream = ? AND target = ?")) {
      query.setString(1, stream);
      query.setString(2, target);
      try (ResultSet row = query.executeQuery()) {
        return row.next()
            ? Optional.of(new Progress(stream, target, Lsn.parse(row.getString(1)), row.getLong(2)))
            : Optional.empty();
      }
    }
  }

  /**
   * Writes this row in the caller's transaction, unless the stored one is further or of a later
   * epoch.
   *
   * @return false when it is: somebody else has applied more, and the caller must roll back
   */
  public boolean store(Connection connection) throws SQLException {
    try (PreparedStatement upsert =
        connection.prepareStatement(
            "INSERT INTO pgconcord.progress AS p (stream, target, commit_lsn, epoch)"
                + " VALUES (?, ?, ?::pg_lsn, ?) ON CONFLICT (stream, target) DO UPDATE"
                + " SET commit_lsn = excluded.commit_lsn, epoch = excluded.epoch,"
                + " updated_at = now() WHERE p.commit_lsn <= excluded.commit_lsn"
                + " AND p.epoch <= excluded.epoch")) {
      upsert.setString(1, stream);
      upsert.setString(2, target);
      upsert.setString(3, commitLsn.toString());
      upsert.setLong(4, epoch);
      return upsert.executeUpdate() == 1;
    }
  }

  /** Removes the row, when its target is to be filled anew. */
  public static void remove(Connection connection, String stream, String target)
      throws SQLException {
    try (PreparedStatement delete =
        connection.prepareStatement(
            "DELETE FROM pgconcord.progress WHERE stream = ? AND target = ?")) {
      delete.setString(1, stream);
      delete.setString(2, target);
      delete.executeUpdate();
    }
  }
}
