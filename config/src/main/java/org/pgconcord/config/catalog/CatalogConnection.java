package org.pgconcord.config.catalog;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;

/**
 * One connection that is opened when needed, used by one thread at a time, and dropped after any
 * failure, so that no transaction outlives the call that began it.
 */
public final class CatalogConnection implements AutoCloseable {
  private final Supplier<Connection> source;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Connection connection;

  public CatalogConnection(Supplier<Connection> source) {
    this.source = source;
  }

  /** Work within one transaction. */
  public interface Work<T> {
    T run(Connection connection) throws SQLException;
  }

  /** Runs in READ COMMITTED and commits. */
  public <T> T write(Work<T> work) {
    return transaction(Connection.TRANSACTION_READ_COMMITTED, work);
  }

  /** Runs over one snapshot. */
  public <T> T read(Work<T> work) {
    return transaction(Connection.TRANSACTION_REPEATABLE_READ, work);
  }

  private <T> T transaction(int isolation, Work<T> work) {
    lock.lock();
    boolean ended = false;
    try {
      Connection open = connection();
      open.setTransactionIsolation(isolation);
      open.setAutoCommit(false);
      T result = work.run(open);
      open.commit();
      open.setAutoCommit(true);
      ended = true;
      return result;
    } catch (SQLException e) {
      throw ErrorCode.CATALOG_UNAVAILABLE
          .because("the catalog did not answer")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    } finally {
      if (!ended) {
        drop();
      }
      lock.unlock();
    }
  }

  private Connection connection() {
    Connection open = connection;
    if (open == null) {
      open = source.get();
      connection = open;
    }
    return open;
  }

  private void drop() {
    Connection open = connection;
    connection = null;
    if (open != null) {
      try {
        open.close();
      } catch (SQLException e) {
        // The server ends the session when the socket goes; there is nothing else to give back.
      }
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      drop();
    } finally {
      lock.unlock();
    }
  }
}
