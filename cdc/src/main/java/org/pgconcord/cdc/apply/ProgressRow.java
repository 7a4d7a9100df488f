package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;

/**
 * The progress row of one stream in one lookup table's database: up to which commit position the
 * stream has been applied. It moves in the transaction that applies, so the two can never disagree;
 * and it carries the epoch of the engine that may write, so an engine that was thought dead finds
 * no row to update and its transaction rolls back.
 */
public final class ProgressRow {
  /**
   * @param position every transaction of the stream up to here has been applied
   * @param epoch of the engine that may move it
   */
  public record Mark(Lsn position, long epoch) {}

  private final String stream;
  private final String target;

  public ProgressRow(StreamName stream, GsiName target) {
    this.stream = stream.shard().uid();
    this.target = target.toString();
  }

  /** Takes the row for this engine, fencing off every earlier one; empty when nothing is loaded. */
  Optional<Mark> takeOver(Connection connection) throws SQLException {
    return mark(
        connection,
        "UPDATE pgconcord.progress SET epoch = epoch + 1 WHERE stream = ? AND target = ?"
            + " RETURNING commit_lsn::text, epoch");
  }

  public Optional<Mark> read(Connection connection) throws SQLException {
    return mark(
        connection,
        "SELECT commit_lsn::text, epoch FROM pgconcord.progress WHERE stream = ? AND target = ?");
  }

  private Optional<Mark> mark(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, stream);
      statement.setString(2, target);
      try (ResultSet row = statement.executeQuery()) {
        return row.next()
            ? Optional.of(new Mark(Lsn.parse(row.getString(1)), row.getLong(2)))
            : Optional.empty();
      }
    }
  }

  /**
   * Moves the row, as the first statement of a transaction: its lock keeps others out.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code cdc/engine-fenced} when another
   *     engine has taken the row
   */
  void advance(Connection connection, Lsn position, long epoch) throws SQLException {
    set(
        connection,
        "UPDATE pgconcord.progress SET commit_lsn = greatest(commit_lsn, CAST(? AS pg_lsn))"
            + " WHERE stream = ? AND target = ? AND epoch = ?",
        position,
        epoch);
  }

  /** Sets the row back or forth: blind application begins again at a fence. */
  void reset(Connection connection, Lsn position, long epoch) throws SQLException {
    set(
        connection,
        "UPDATE pgconcord.progress SET commit_lsn = CAST(? AS pg_lsn)"
            + " WHERE stream = ? AND target = ? AND epoch = ?",
        position,
        epoch);
  }

  private void set(Connection connection, String sql, Lsn position, long epoch)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, position.toString());
      statement.setString(2, stream);
      statement.setString(3, target);
      statement.setLong(4, epoch);
      if (statement.executeUpdate() == 0) {
        throw ErrorCode.ENGINE_FENCED.because(
            "stream " + stream + " of " + target + " is applied by another engine");
      }
    }
  }
}
