package org.pgconcord.config.settings;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all hosts of a shard that has several, again and again, whether they are its primary. The
 * first that accepts writes is taken at connect, and after a failover that may be the server
 * before, which nobody has told: once its follower is heard of here it is used no more (decision
 * 0029). A thread for each such shard; a shard with one host costs nothing.
 */
public final class PrimaryWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PrimaryWatch.class);
  private static final int TIMEOUT_MILLIS = 5_000;

  private final ShardConnections connections;
  private final String database;
  private final Duration period;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param database the logical database in which the hosts are asked
   * @param period between two rounds
   */
  public PrimaryWatch(
      ShardConnections connections, Collection<ShardId> shards, String database, Duration period) {
    this.connections = connections;
    this.database = database;
    this.period = period;
    for (ShardId shard : shards) {
      if (connections.hosts(shard).size() > 1) {
        Thread thread = new Thread(() -> watch(shard), "hosts of " + shard);
        thread.setDaemon(true);
        threads.add(thread);
      }
    }
  }

  public void start() {
    threads.forEach(Thread::start);
  }

  private void watch(ShardId shard) {
    Map<ShardAddress, Connection> sessions = new HashMap<>();
    boolean suspected = false;
    while (!closing()) {
      suspected = look(shard, sessions, suspected);
    }
    sessions.values().forEach(PrimaryWatch::end);
  }

  /**
   * One round. A server that was started anew between two questions, under two of its addresses, is
   * not two: only the second round that finds two counts.
   *
   * @return true when two say so
   */
  private boolean look(ShardId shard, Map<ShardAddress, Connection> sessions, boolean suspected) {
    ServerIdentity newest = null;
    Set<Long> primaries = new HashSet<>();
    for (ShardAddress host : connections.hosts(shard)) {
      Optional<SessionProbe.Answer> answer = ask(shard, host, sessions);
      if (answer.isEmpty() || !answer.get().primary()) {
        continue;
      }
      ServerIdentity server = answer.get().server();
      if (isOfAnotherSystem(shard, server)) {
        continue;
      }
      if (newest == null || !newest.continues(server)) {
        primaries.clear();
        newest = server;
      }
      if (server.continues(newest)) {
        primaries.add(answer.get().started());
      }
    }
    boolean two = primaries.size() > 1;
    connections.known().contest(shard, two && suspected);
    if (newest != null && !two) {
      admit(shard, newest);
    }
    return two;
  }

  private boolean isOfAnotherSystem(ShardId shard, ServerIdentity server) {
    ServerIdentity known = connections.servers().get(shard);
    return known != null && known.systemIdentifier() != server.systemIdentifier();
  }

  /** Over a session that is kept; a promotion does not end it. */
  private Optional<SessionProbe.Answer> ask(
      ShardId shard, ShardAddress host, Map<ShardAddress, Connection> sessions) {
    try {
      Connection session = sessions.get(host);
      if (session == null) {
        session = connections.openReplica(shard, host, database);
        session.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
        sessions.put(host, session);
      }
      return Optional.of(SessionProbe.ask(session, shard));
    } catch (SQLException | ConcordException e) {
      log.debug("host not heard shard={} host={}", shard, host, e);
      Optional.ofNullable(sessions.remove(host)).ifPresent(PrimaryWatch::end);
      return Optional.empty();
    }
  }

  private static void end(Connection session) {
    try {
      session.close();
    } catch (SQLException e) {
      log.debug("not closed", e);
    }
  }

  private void admit(ShardId shard, ServerIdentity server) {
    try {
      connections.known().admit(shard, server);
    } catch (ConcordException e) {
      log.debug("the follower is not to be found shard={}", shard, e);
    }
  }

  private boolean closing() {
    try {
      return closed.await(period.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  @Override
  public void close() {
    closed.countDown();
    threads.forEach(Thread::interrupt);
  }
}
