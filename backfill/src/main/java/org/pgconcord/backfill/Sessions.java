package org.pgconcord.backfill;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.SettlementRunner;

/**
 * The sessions of one build. {@link #abort} ends all of them at once, which is how a build that
 * waits for a server is stopped from another thread.
 */
public final class Sessions {
  private static final Executor DIRECT = Runnable::run;

  private final SettlementRunner.Sessions source;
  private final Set<Connection> open = new HashSet<>();
  private boolean aborted;

  Sessions(SettlementRunner.Sessions source) {
    this.source = source;
  }

  /** A session without auto-commit and without limits that would end a long statement. */
  public Connection open(ShardId shard) throws SQLException {
    refuseWhenAborted();
    Connection connection = source.open(shard);
    try {
      try (var statement = connection.createStatement()) {
        statement.execute("SET statement_timeout = 0");
        statement.execute("SET idle_in_transaction_session_timeout = 0");
      }
      connection.setAutoCommit(false);
      register(connection);
      return connection;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Closes a session that {@link #open} gave; its open transaction is rolled back. */
  public void close(Connection connection) {
    synchronized (this) {
      open.remove(connection);
    }
    try {
      connection.close();
    } catch (SQLException e) {
      // It is gone already, and its transaction with it.
    }
  }

  synchronized void abort() {
    aborted = true;
    for (Connection connection : open) {
      try {
        connection.abort(DIRECT);
      } catch (SQLException e) {
        // It is gone already.
      }
    }
  }

  private synchronized void register(Connection connection) {
    refuseWhenAborted();
    open.add(connection);
  }

  private synchronized void refuseWhenAborted() {
    if (aborted) {
      throw ErrorCode.BACKFILL_FAILED.because("the build was stopped");
    }
  }
}
