package org.pgconcord.daemon.transactions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One round's sessions with one shard: what is asked of it, one after the other, on a thread that
 * may hang without holding its round. What is still under way when the round ends goes to its end:
 * a look does nothing, and what is ended is decided.
 */
final class ShardLane {
  private static final Logger log = LoggerFactory.getLogger(ShardLane.class);
  private static final int TIMEOUT_MILLIS = 10_000;

  private final ShardId shard;
  private final ShardConnections connections;

  /** By database; touched by the work alone, one at a time. */
  private final Map<String, Connection> open = new HashMap<>();

  private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);

  /** A question over a session. */
  interface Work<T> {
    T run(Connection session) throws SQLException;
  }

  ShardLane(ShardId shard, ShardConnections connections) {
    this.shard = shard;
    this.connections = connections;
  }

  <T> CompletableFuture<T> run(String database, Work<T> work) {
    CompletableFuture<T> answer =
        last.thenApplyAsync(before -> on(database, work), ShardLane::onItsOwn);
    last = answer.handle((got, failure) -> null);
    return answer;
  }

  private static void onItsOwn(Runnable work) {
    Thread thread = new Thread(work, "resolver-shard");
    thread.setDaemon(true);
    thread.start();
  }

  /** Completes when it has ended; empty when nothing is. */
  Optional<CompletableFuture<Void>> underWay() {
    return last.isDone() ? Optional.empty() : Optional.of(last);
  }

  private <T> T on(String database, Work<T> work) {
    try {
      return work.run(session(database));
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }

  private Connection session(String database) throws SQLException {
    Connection known = open.get(database);
    if (known != null) {
      return known;
    }
    Connection session = connections.open(shard, database);
    open.put(database, session);
    session.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
    return session;
  }

  /** After what is under way; not waited for. */
  void close() {
    last = last.thenRunAsync(this::closeSessions, ShardLane::onItsOwn);
  }

  private void closeSessions() {
    for (Connection session : open.values()) {
      try {
        session.close();
      } catch (SQLException e) {
        log.debug("session not closed", e);
      }
    }
    open.clear();
  }
}
