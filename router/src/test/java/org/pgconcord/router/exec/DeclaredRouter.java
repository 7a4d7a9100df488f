package org.pgconcord.router.exec;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.TransactionMetrics;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/** A router in front of shards whose tables a test declares by a topology document of its own. */
final class DeclaredRouter implements AutoCloseable {
  final ShardCluster cluster;
  private final RouterServer server;
  private final int port;
  private final Map<ShardId, Connection> direct = new TreeMap<>();

  /**
   * Starts shards and router.
   *
   * @param ddl run on every shard
   */
  DeclaredRouter(int shards, String document, List<String> ddl) throws SQLException {
    cluster = ShardCluster.start(shards);
    for (ShardId shard : cluster.shards()) {
      for (String statement : ddl) {
        direct(shard, statement);
      }
    }
    Topology topology = TopologyReader.read(document).orThrow();
    RoutingState state;
    try (Connection owner = cluster.asOwner(cluster.shards().get(0))) {
      Set<org.pgconcord.config.value.TableName> tables =
          topology.database(ShardCluster.DATABASE).orElseThrow().tables().keySet();
      state =
          new RoutingState(
              1,
              topology,
              Map.of(),
              Map.of(ShardCluster.DATABASE, SchemaReader.read(owner, tables)));
    }
    RouterServices services =
        new RouterServices(
            new RouterEpochs(state),
            new StatementPlanner(),
            new LookupIndexes(state),
            (gsi, keys) -> {},
            (table, copies, reason) -> CompletableFuture.completedFuture(null),
            TransactionMetrics.NONE,
            new Deadlocks(),
            Duration.ofSeconds(5));
    server =
        new RouterServer(
            RouterSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RouterSettings.Auth.TRUST),
            directory(),
            () -> topology,
            new RouterServer.ServiceRole(ClusterRoles.SERVICE, BackendSecret.TRUST),
            Executor.factory(services),
            new RouterMetrics(new SimpleMeterRegistry()));
    port = server.start().getPort();
  }

  private ShardDirectory directory() {
    return new ShardDirectory() {
      @Override
      public List<InetSocketAddress> hosts(ShardId shard) {
        return List.of(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), cluster.shard(shard).port()));
      }

      @Override
      public String database(ShardId shard, String logicalDatabase) {
        return logicalDatabase;
      }
    };
  }

  /** {@code mode}: pgJDBC's preferQueryMode. */
  Connection connect(String mode) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/app?user=%s&preferQueryMode=%s"
            .formatted(port, ClusterRoles.OWNER, mode));
  }

  /** Runs a statement on one shard itself; the first column of its rows. */
  List<String> direct(ShardId shard, String sql) throws SQLException {
    Connection owner = direct.get(shard);
    if (owner == null) {
      owner = cluster.asOwner(shard);
      direct.put(shard, owner);
    }
    return rows(owner, sql);
  }

  /** The shards on which a query has rows. */
  List<String> holders(String sql) throws SQLException {
    List<String> holders = new ArrayList<>();
    for (ShardId shard : cluster.shards()) {
      if (!direct(shard, sql).isEmpty()) {
        holders.add(shard.uid());
      }
    }
    return holders;
  }

  static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      if (statement.execute(sql)) {
        ResultSet result = statement.getResultSet();
        while (result.next()) {
          rows.add(String.valueOf(result.getString(1)));
        }
      }
    }
    return rows;
  }

  @Override
  public void close() {
    server.close();
    cluster.close();
  }
}
