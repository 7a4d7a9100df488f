package org.pgconcord.router;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.exec.Executor;
import org.pgconcord.router.exec.RouterServices;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.TransactionMetrics;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.cluster.sample.SampleData;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/** Two shards with the sample application and a whole router in front, its index only declared. */
final class SampleRouter implements AutoCloseable {
  private final ShardCluster cluster;
  private final RouterServer server;
  private final InetSocketAddress address;

  private SampleRouter(ShardCluster cluster, RouterServer server) {
    this.cluster = cluster;
    this.server = server;
    this.address = server.start();
  }

  static SampleRouter start(long rows) throws Exception {
    ShardCluster cluster = ShardCluster.start(2);
    SampleSchema.create(cluster);
    SampleData.load(cluster, rows, 1);
    Topology topology = TopologyReader.read(SampleTopology.document(cluster.shards())).orThrow();
    RoutingState state;
    try (Connection owner = cluster.asOwner(cluster.shards().get(0))) {
      List<TableName> tables =
          List.of(new TableName("public", "users"), new TableName("public", "countries"));
      state =
          new RoutingState(1, topology, Map.of(), Map.of("app", SchemaReader.read(owner, tables)));
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
            RouterServices.DEFAULT_LOCK_TIMEOUT);
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new SampleRouter(
        cluster,
        new RouterServer(
            RouterSettings.of(any, RouterSettings.Auth.TRUST),
            directory(cluster),
            () -> topology,
            new RouterServer.ServiceRole(ClusterRoles.SERVICE, BackendSecret.TRUST),
            Executor.factory(services),
            new RouterMetrics(new SimpleMeterRegistry())));
  }

  private static ShardDirectory directory(ShardCluster cluster) {
    return new ShardDirectory() {
      private final KnownServers known = new KnownServers();

      @Override
      public KnownServers known() {
        return known;
      }

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

  ShardCluster cluster() {
    return cluster;
  }

  int port() {
    return address.getPort();
  }

  Connection connect(String parameters) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port() + "/app?user=demo" + parameters);
  }

  @Override
  public void close() {
    server.close();
    cluster.close();
  }
}
