package org.pgconcord.daemon.transactions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import org.pgconcord.config.atomic.Decision;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PreparedTransaction;
import org.pgconcord.config.atomic.PreparedTransactions;
import org.pgconcord.config.atomic.Sight;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of one round over the shards, opened when needed and closed with it. A shard that
 * does not answer in time counts as silent for the rest of the round. Used by one thread.
 */
final class ShardSessions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShardSessions.class);
  private static final int TIMEOUT_MILLIS = 10_000;
  private static final Executor AT_ONCE = Runnable::run;

  private final ShardConnections connections;
  private final String anyDatabase;
  private final Map<Place, Connection> open = new HashMap<>();
  private final Map<ShardId, String> silent = new TreeMap<>();

  private record Place(ShardId shard, String database) {}

  /**
   * @param anyDatabase a logical database that every shard has
   */
  ShardSessions(ShardConnections connections, String anyDatabase) {
    this.connections = connections;
    this.anyDatabase = anyDatabase;
  }

  /** What these shards hold; those that do not answer are left out. */
  Sight look(Set<ShardId> shards) {
    Map<ShardId, List<PreparedTransaction>> seen = new HashMap<>();
    for (ShardId shard : shards) {
      at(shard, anyDatabase, PreparedTransactions::seen).ifPresent(list -> seen.put(shard, list));
    }
    return Sight.of(seen);
  }

  /** Those that answer and take no prepared transactions. */
  Set<ShardId> refusing(Set<ShardId> shards) {
    Set<ShardId> refusing = new TreeSet<>();
    for (ShardId shard : shards) {
      at(shard, anyDatabase, PreparedTransactions::limit)
          .filter(limit -> limit == 0)
          .ifPresent(none -> refusing.add(shard));
    }
    return refusing;
  }

  /** Ends one; empty when its shard does not answer or refuses. */
  Optional<PreparedTransactions.Answer> end(
      ShardId shard, String database, GlobalId gid, String owner, Decision decision) {
    return at(shard, database, session -> PreparedTransactions.end(session, gid, owner, decision));
  }

  /** Shard -> why it does not answer. */
  Map<ShardId, String> silent() {
    return Map.copyOf(silent);
  }

  private interface Work<T> {
    T run(Connection session) throws SQLException;
  }

  private <T> Optional<T> at(ShardId shard, String database, Work<T> work) {
    if (silent.containsKey(shard)) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.run(session(new Place(shard, database))));
    } catch (SQLException | ConcordException e) {
      log.warn("shard did not settle transactions shard={} cause=\"{}\"", shard, e.getMessage());
      silent.put(shard, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private Connection session(Place place) throws SQLException {
    Connection known = open.get(place);
    if (known != null) {
      return known;
    }
    Connection session = connections.open(place.shard(), place.database());
    open.put(place, session);
    session.setNetworkTimeout(AT_ONCE, TIMEOUT_MILLIS);
    return session;
  }

  @Override
  public void close() {
    for (Connection session : new ArrayList<>(open.values())) {
      try {
        session.close();
      } catch (SQLException e) {
        log.debug("session not closed", e);
      }
    }
    open.clear();
  }
}
