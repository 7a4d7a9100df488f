package org.pgconcord.daemon;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.statistics.EntryStatistics;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.statistics.StatisticsReader;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the statistics of the lookup tables of indexes that are not unique and can be read, once a
 * minute: PostgreSQL renews them seldomer. What cannot be read keeps its last value for that turn;
 * reading them is never waited for.
 */
final class LookupStatistics implements Supplier<IndexStatistics>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LookupStatistics.class);
  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final Supplier<RoutingState> states;
  private final ShardConnections connections;
  private final Ticks ticks = new Ticks("statistics");
  private volatile IndexStatistics current = IndexStatistics.NONE;

  LookupStatistics(Supplier<RoutingState> states, ShardConnections connections) {
    this.states = states;
    this.connections = connections;
  }

  void start() {
    ticks.once("statistics", this::read);
    ticks.every(PERIOD, "statistics", this::read);
  }

  @Override
  public IndexStatistics get() {
    return current;
  }

  private void read() {
    RoutingState state = states.get();
    Map<GsiName, Map<ShardId, EntryStatistics>> read = new HashMap<>();
    for (Topology.LogicalDatabase database : state.topology().databases().values()) {
      for (Gsi gsi : database.gsis()) {
        if (!gsi.unique() && state.status(gsi.name()).state().readable()) {
          read.put(gsi.name(), read(state, gsi));
        }
      }
    }
    current = new IndexStatistics(read);
  }

  private Map<ShardId, EntryStatistics> read(RoutingState state, Gsi gsi) {
    Map<ShardId, EntryStatistics> found = new HashMap<>();
    try {
      for (ShardId shard : LookupIndex.resolve(state, gsi).lookupShards()) {
        try (Connection connection = connections.open(shard, gsi.name().database())) {
          StatisticsReader.read(connection, gsi.lookup()).ifPresent(s -> found.put(shard, s));
        }
      }
      return found;
    } catch (SQLException | ConcordException e) {
      log.debug("statistics not read gsi={}", gsi.name(), e);
      return current.indexes().getOrDefault(gsi.name(), found);
    }
  }

  @Override
  public void close() {
    ticks.close();
  }
}
