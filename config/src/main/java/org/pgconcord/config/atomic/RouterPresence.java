package org.pgconcord.config.atomic;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.pgconcord.config.error.ErrorCode;

/**
 * How others see that a router runs: its sessions with the catalog hold a shared advisory lock on
 * its id, which the server lets go when the process is gone, however it went. The id is the lock's
 * key.
 */
public final class RouterPresence {
  private RouterPresence() {}

  /** Connections that show the router as long as one of them is open. */
  public static Supplier<Connection> shown(String router, Supplier<Connection> source) {
    long key = Long.parseUnsignedLong(router, 16);
    return () -> {
      Connection connection = source.get();
      try (PreparedStatement lock =
          connection.prepareStatement("SELECT pg_catalog.pg_advisory_lock_shared(?)")) {
        lock.setLong(1, key);
        lock.execute();
        return connection;
      } catch (SQLException e) {
        close(connection);
        throw ErrorCode.CATALOG_UNAVAILABLE
            .because("the catalog did not answer")
            .withDetail(String.valueOf(e.getMessage()))
            .withCause(e);
      }
    };
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // It is of no use any more; the server ends it with the socket.
    }
  }
}
