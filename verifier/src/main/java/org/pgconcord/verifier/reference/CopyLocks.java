package org.pgconcord.verifier.reference;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.SettlementRunner;

/**
 * Keeps every writer away from all copies of a table until it is closed.
 *
 * <p>The leader lock keeps routers away. A transaction that lost it (its leader's backend ended)
 * may still have uncommitted changes on another copy, and its COMMIT may come at any time; it holds
 * ROW EXCLUSIVE on the table there. So each copy is locked too, in a mode that waits for that one
 * and for direct writers. Readers never wait. The leader lock is first and has a session of its
 * own, so that it outlives whatever is committed on the copies.
 */
final class CopyLocks implements AutoCloseable {
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final Connection leading;
  private final Map<ShardId, Connection> copies = new TreeMap<>();

  private CopyLocks(Connection leading) {
    this.leading = leading;
  }

  /**
   * Takes them.
   *
   * @param limit for each lock
   * @throws org.pgconcord.config.error.ConcordException {@code reference/busy} when a writer keeps
   *     one for longer
   */
  static CopyLocks take(
      SettlementRunner.Sessions sessions,
      String database,
      TableName table,
      Iterable<ShardId> copies,
      Duration limit)
      throws SQLException {
    CopyLocks locks = new CopyLocks(sessions.open(copies.iterator().next()));
    boolean taken = false;
    try {
      locks.lead(database, table, limit);
      for (ShardId shard : copies) {
        locks.lock(shard, sessions.open(shard), table, limit);
      }
      taken = true;
      return locks;
    } catch (SQLException e) {
      if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw ErrorCode.REFERENCE_BUSY
            .because("a writer keeps table %s locked".formatted(table))
            .withCause(e);
      }
      throw e;
    } finally {
      if (!taken) {
        locks.close();
      }
    }
  }

  private void lead(String database, TableName table, Duration limit) throws SQLException {
    leading.setAutoCommit(false);
    run(leading, "SET LOCAL lock_timeout = " + limit.toMillis());
    run(
        leading,
        "SELECT pg_catalog.pg_advisory_xact_lock(%d)".formatted(LeaderLock.of(database, table)));
  }

  /** Conflicts with itself and with every write; a repair writes in the same transaction. */
  private void lock(ShardId shard, Connection copy, TableName table, Duration limit)
      throws SQLException {
    copies.put(shard, copy);
    copy.setAutoCommit(false);
    run(copy, "SET LOCAL lock_timeout = " + limit.toMillis());
    run(copy, "LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE".formatted(table.quoted()));
  }

  /** The session, inside its transaction, that holds a copy's lock. */
  Map<ShardId, Connection> copies() {
    return copies;
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What was not committed is rolled back; the leader lock goes last. */
  @Override
  public void close() {
    copies.values().forEach(CopyLocks::close);
    close(leading);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // The server ends what the session held.
    }
  }
}
