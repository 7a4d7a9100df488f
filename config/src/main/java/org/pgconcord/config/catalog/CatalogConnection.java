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
 *
 * <p>A connection that was kept from an earlier call may have ended with its server since, which
 * the first statement finds out. As long as COMMIT has not been sent nothing can have been stored:
 * the work is then done again, once, over a new connection. When the answer to COMMIT is lost it is
 * not: that may have been stored.
 */
public final class CatalogConnection implements AutoCloseable {
  private final Supplier<Connection> source;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Connection connection;

  public CatalogConnection(Supplier<Connection> source) {
    this.source = source;
  }

  /** Work within one transaction. It may be done twice, and leaves nothing here before its end. */
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
    try {
      boolean kept = connection != null;
      Attempt<T> first = new Attempt<>(isolation, work);
      if (!first.run() && kept && first.mayBeRepeated()) {
        Attempt<T> second = new Attempt<>(isolation, work);
        second.run();
        return second.result();
      }
      return first.result();
    } finally {
      lock.unlock();
    }
  }

  /** One transaction, and how far it came. */
  private final class Attempt<T> {
    private final int isolation;
    private final Work<T> work;
    private @Nullable T value;
    private @Nullable SQLException failure;
    private boolean committing;

    private Attempt(int isolation, Work<T> work) {
      this.isolation = isolation;
      this.work = work;
    }

    /** False after an error of the server or of the connection to it. */
    boolean run() {
      boolean ended = false;
      try {
        Connection open = connection();
        open.setTransactionIsolation(isolation);
        open.setAutoCommit(false);
        value = work.run(open);
        committing = true;
        open.commit();
        open.setAutoCommit(true);
        ended = true;
      } catch (SQLException e) {
        failure = e;
      } finally {
        if (!ended) {
          drop();
        }
      }
      return ended;
    }

    /** The connection has ended, by its own word or by that of a server that goes down. */
    boolean mayBeRepeated() {
      String state = failure == null ? "" : String.valueOf(failure.getSQLState());
      return !committing && (state.startsWith("08") || state.startsWith("57P0"));
    }

    @SuppressWarnings("NullAway") // without failure it is what the work returned
    T result() {
      if (failure != null) {
        throw ErrorCode.CATALOG_UNAVAILABLE
            .because("the catalog did not answer")
            .withDetail(String.valueOf(failure.getMessage()))
            .withCause(failure);
      }
      return value;
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
