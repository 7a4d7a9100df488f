package org.pgconcord.cdc.slot;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that a stream is read from the server of its slot. The reader opens its session by itself,
 * at an address, and nobody can ask on that session which server it reached: another one may answer
 * there, with a slot of the same name (an old primary that came back, a copy of the disk).
 *
 * <h2>The proof</h2>
 *
 * This object keeps a session of its own, whose server has said that it is the shard. On it the
 * slot was seen to be free before the reader started. When the reader has its first event the slot
 * must be in use there, by a walsender that has begun since. A slot has one reader, its name is
 * this cluster's and this stream's alone, and one daemon at a time reads it; so that walsender is
 * the reader's, and what it reads comes from the server that has proved itself. A reader that is on
 * another server leaves the slot here free, and nothing of what it read is believed.
 *
 * <p>The session stays open as long as the reader reads. When the server is followed by another one
 * all sessions on it are ended, this one too, and then the reader is not believed any more either
 * (decisions 0029 and 0035). The reader's own session cannot move to another server: when it ends,
 * the reader ends.
 */
public final class SlotGuard implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SlotGuard.class);

  private static final String READER =
      "SELECT count(*) FROM pg_catalog.pg_replication_slots s"
          + " JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid"
          + " WHERE s.slot_name = ? AND a.backend_start >= ?::timestamptz";

  private final Connection connection;
  private final ShardId shard;
  private final String slot;
  private final String since;
  private boolean proven;

  /**
   * @param connection on the shard's server; closed with this
   * @param since by the server's clock, when the slot was free
   */
  SlotGuard(Connection connection, ShardId shard, String slot, String since) {
    this.connection = connection;
    this.shard = shard;
    this.slot = slot;
    this.since = since;
  }

  /**
   * Before what the reader has read is believed. Asks the server once.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code shard/wrong-server} when the reader
   *     is on another server, or its server is the shard no more
   */
  public void require() throws SQLException {
    if (connection.isClosed()) {
      throw ErrorCode.SHARD_WRONG_SERVER.because(
          "the server that the changes of shard " + shard + " came from is not the shard any more");
    }
    if (!proven) {
      proven = isReadHere();
      if (!proven) {
        throw ErrorCode.SHARD_WRONG_SERVER.because(
            "changes came from another server than that of shard " + shard);
      }
    }
  }

  private boolean isReadHere() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(READER)) {
      statement.setString(1, slot);
      statement.setString(2, since);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1) > 0;
      }
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.debug("guard not closed shard={}", shard, e);
    }
  }
}
