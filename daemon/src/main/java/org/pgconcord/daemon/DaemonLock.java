package org.pgconcord.daemon;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.pgconcord.config.error.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One daemon per catalog: a session-level advisory lock in the catalog's database, held on a
 * connection of its own as long as the daemon lives. A killed daemon's lock is gone when its server
 * sees the closed socket, hence the short wait. The lock can be lost while the daemon lives (the
 * server restarts); {@link #holds} takes it again, and tells when another daemon was faster.
 */
final class DaemonLock implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DaemonLock.class);

  /** "pgcdaemn" in ASCII; shared by all versions, unlike the installer's own lock. */
  private static final long KEY = 0x7067_6364_6165_6D6EL;

  private static final Duration WAIT = Duration.ofSeconds(3);
  private static final String HOLDER =
      """
      SELECT 'pid ' || a.pid || ', from ' || coalesce(host(a.client_addr), 'a local socket')
             || ', since ' || a.backend_start::timestamptz(0)
        FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE l.locktype = 'advisory' AND l.granted
         AND l.classid = (%1$d::bigint >> 32)::bit(32)::int::bigint::oid
         AND l.objid = (%1$d::bigint & 4294967295)::oid
       LIMIT 1
      """
          .formatted(KEY);

  private final Supplier<Connection> connections;
  private Connection connection;

  private DaemonLock(Supplier<Connection> connections, Connection connection) {
    this.connections = connections;
    this.connection = connection;
  }

  /**
   * Takes the lock.
   *
   * @param connections open sessions in the catalog's database
   * @throws org.pgconcord.config.error.ConcordException {@code daemon/already-running}
   */
  static DaemonLock take(Supplier<Connection> connections) {
    Connection connection = connections.get();
    try {
      long begin = System.nanoTime();
      while (!tryLock(connection)) {
        if (System.nanoTime() - begin > WAIT.toNanos()) {
          String holder = holder(connection);
          connection.close();
          throw ErrorCode.DAEMON_ALREADY_RUNNING
              .because("another daemon serves this catalog")
              .withDetail("its lock is held by " + holder);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
      return new DaemonLock(connections, connection);
    } catch (SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE
          .because("the daemon's lock cannot be taken: " + e.getMessage())
          .withCause(e);
    }
  }

  /** False only when another daemon has the lock; a server that does not answer changes nothing. */
  synchronized boolean holds() {
    try {
      if (connection.isValid(2)) {
        return true;
      }
      connection.close();
      connection = connections.get();
      boolean again = tryLock(connection);
      log.warn("daemon lock lost and asked for again taken={}", again);
      return again;
    } catch (SQLException | RuntimeException e) {
      log.warn("daemon lock cannot be checked cause=\"{}\"", e.getMessage());
      return true;
    }
  }

  @Override
  public synchronized void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      log.debug("daemon lock connection ended badly", e);
    }
  }

  private static boolean tryLock(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_try_advisory_lock(" + KEY + ")")) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static String holder(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(HOLDER)) {
      return row.next() ? row.getString(1) : "a session that just ended";
    }
  }
}
