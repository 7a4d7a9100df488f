package org.pgconcord.config.replica;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the primaries of shards that have replicas where their log ends, and the replicas how far
 * they are: twice a second, with a thread and a session as the service role for each server, so
 * that a server that hangs keeps no other waiting. Shards without replicas cost nothing.
 *
 * <p>The log may be flushed up to the middle of a record, at the end of a page; no replica can
 * replay that far until the rest follows, which on a primary that nobody writes to takes a while.
 * Where a replica stays below such a position a transaction without rows is committed on the
 * primary, once for each place that the replica is stuck at: its record moves the log's end on.
 */
public final class ReplicaWatch implements Replicas, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReplicaWatch.class);
  private static final long PERIOD_MILLIS = 500;
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final String LOG_END =
      "SELECT pg_current_wal_flush_lsn(), system_identifier,"
          + " ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int,"
          + " current_setting('server_version_num') FROM pg_control_system()";

  private final ShardConnections connections;
  private final String database;
  private final Map<ShardId, Watched> shards = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);

  private static final class Watched {
    final PositionLog positions = new PositionLog();
    final List<Replica> replicas;

    Watched(List<ShardAddress> replicas) {
      this.replicas = replicas.stream().map(Replica::new).toList();
    }
  }

  private static final class Replica {
    final ShardAddress address;
    private @Nullable ReplicaAnswer answer;
    private String failure = "it has not been asked yet";

    Replica(ShardAddress address) {
      this.address = address;
    }

    synchronized void answered(ReplicaAnswer now) {
      answer = now;
      failure = "";
    }

    synchronized void failed(String why) {
      answer = null;
      failure = why;
    }

    synchronized Optional<ReplicaAnswer> answer() {
      return Optional.ofNullable(answer);
    }

    synchronized Sight sight(PositionLog positions, long now) {
      Optional<ReplicaAnswer> last = answer();
      return new Sight(
          address, last, failure, last.flatMap(one -> positions.age(one.replayed(), now)));
    }
  }

  /**
   * @param database the logical database that the servers are asked in
   */
  public ReplicaWatch(ShardConnections connections, Collection<ShardId> watched, String database) {
    this.connections = connections;
    this.database = database;
    for (ShardId shard : watched) {
      List<ShardAddress> replicas = connections.replicas(shard);
      if (!replicas.isEmpty()) {
        shards.put(shard, new Watched(replicas));
      }
    }
  }

  public void start() {
    shards.forEach(
        (shard, watched) -> {
          launch("primary of " + shard, () -> followPrimary(shard, watched));
          watched.replicas.forEach(
              replica ->
                  launch(
                      "replica of " + shard,
                      () -> followReplica(shard, replica, watched.positions)));
        });
  }

  private void launch(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  @Override
  public List<Sight> of(ShardId shard) {
    Watched watched = shards.get(shard);
    long now = System.nanoTime();
    return watched == null
        ? List.of()
        : watched.replicas.stream().map(r -> r.sight(watched.positions, now)).toList();
  }

  @Override
  public Optional<Floor> floor(ShardId shard, long moment) {
    Watched watched = shards.get(shard);
    return watched == null ? Optional.empty() : watched.positions.floor(moment);
  }

  /** How many of the replicas could be read now, with this bound on their lag. */
  public long readable(Duration bound) {
    long moment = System.nanoTime() - bound.toNanos();
    return sights((shard, sight) -> sight.obstacle(floor(shard, moment)).isEmpty());
  }

  /** How many replicas the configuration names. */
  public long configured() {
    return sights((shard, sight) -> true);
  }

  private long sights(BiPredicate<ShardId, Sight> which) {
    return shards.keySet().stream()
        .mapToLong(shard -> of(shard).stream().filter(s -> which.test(shard, s)).count())
        .sum();
  }

  /** The largest lag that is known. */
  public Duration lag() {
    return shards.keySet().stream()
        .flatMap(shard -> of(shard).stream())
        .flatMap(sight -> sight.lag().stream())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  // --- the primary -----------------------------------------------------------------------------

  private void followPrimary(ShardId shard, Watched watched) {
    do {
      try (Connection connection = connections.open(shard, database)) {
        bounded(connection);
        Nudges nudges = new Nudges();
        while (noteEnd(shard, watched, connection, nudges) && !closing()) {}
      } catch (SQLException | ConcordException e) {
        log.debug("primary not heard shard={}", shard, e);
      }
    } while (!closing());
  }

  /** False for a server that another one has followed by now. */
  private boolean noteEnd(ShardId shard, Watched watched, Connection connection, Nudges nudges)
      throws SQLException {
    long askedAt = System.nanoTime();
    List<@Nullable String> row = row(connection, LOG_END);
    ServerIdentity server =
        new ServerIdentity(number(row.get(1)), (int) number(row.get(2)), (int) number(row.get(3)));
    ServerIdentity newest = connections.servers().getOrDefault(shard, server);
    if (server.timeline() < newest.timeline()) {
      return false;
    }
    Lsn end = Lsn.parse(String.valueOf(row.get(0)));
    watched.positions.add(server, end, askedAt);
    if (nudges.due(end, watched.replicas)) {
      row(connection, "SELECT pg_current_xact_id()");
    }
    return true;
  }

  private static long number(@Nullable String text) {
    return Long.parseLong(String.valueOf(text));
  }

  /** When a primary that writes nothing should write something. */
  private static final class Nudges {
    private Lsn last = Lsn.ZERO;
    private final Map<Replica, Lsn> helped = new LinkedHashMap<>();

    boolean due(Lsn end, List<Replica> replicas) {
      boolean still = end.equals(last);
      last = end;
      boolean due = false;
      for (Replica replica : replicas) {
        Lsn replayed = replica.answer().map(ReplicaAnswer::replayed).orElse(end);
        if (still && replayed.isBefore(end) && !replayed.equals(helped.put(replica, replayed))) {
          due = true;
        }
      }
      return due;
    }
  }

  // --- a replica -------------------------------------------------------------------------------

  private void followReplica(ShardId shard, Replica replica, PositionLog positions) {
    String told = "nothing";
    do {
      String state;
      try (Connection connection = connections.openReplica(shard, replica.address, database)) {
        bounded(connection);
        do {
          ReplicaAnswer answer = ReplicaAnswer.of(row(connection, ReplicaAnswer.ASK));
          replica.answered(answer);
          state = positions.newest().flatMap(floor -> floor.misfit(answer)).orElse("");
          told = tell(shard, replica, told, state);
        } while (!closing());
      } catch (SQLException e) {
        state = "it does not answer: " + e.getMessage();
        replica.failed(state);
        told = tell(shard, replica, told, state);
      }
    } while (!closing());
  }

  /** A line when it has changed. */
  private static String tell(ShardId shard, Replica replica, String told, String state) {
    if (state.isEmpty() && !state.equals(told)) {
      log.info("replica answers shard={} address={}", shard, replica.address);
    } else if (!state.equals(told)) {
      log.warn("replica is not read shard={} address={} reason={}", shard, replica.address, state);
    }
    return state;
  }

  private static List<@Nullable String> row(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      List<@Nullable String> row = new ArrayList<>();
      for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
        row.add(result.getString(i));
      }
      return row;
    }
  }

  private static void bounded(Connection connection) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, TIMEOUT_MILLIS);
  }

  /** Waits for the next turn. */
  private boolean closing() {
    try {
      return closed.await(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /** The threads end with their turn; those that wait for a server are left behind. */
  @Override
  public void close() {
    closed.countDown();
    long deadline = System.nanoTime() + Duration.ofSeconds(1).toNanos();
    for (Thread thread : threads) {
      try {
        thread.join(Math.max(1, Duration.ofNanos(deadline - System.nanoTime()).toMillis()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
