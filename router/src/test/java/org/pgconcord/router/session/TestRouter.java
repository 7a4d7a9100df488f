package org.pgconcord.router.session;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.UnaryOperator;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/** A router with a {@link PassThroughRunner} in front of a cluster; {@code shard-a} is home. */
final class TestRouter implements AutoCloseable {
  private final RouterServer server;
  private final InetSocketAddress address;

  private TestRouter(RouterServer server) {
    this.server = server;
    this.address = server.start();
  }

  static TestRouter start(
      ShardCluster cluster, RouterSettings.Auth auth, UnaryOperator<RouterSettings> change) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return new TestRouter(
        new RouterServer(
            change.apply(RouterSettings.of(any, auth)),
            directory(cluster),
            () -> topology(),
            new RouterServer.ServiceRole(ClusterRoles.SERVICE, serviceSecret(cluster, auth)),
            PassThroughRunner::new,
            new RouterMetrics(new SimpleMeterRegistry())));
  }

  private static BackendSecret serviceSecret(ShardCluster cluster, RouterSettings.Auth auth) {
    return auth == RouterSettings.Auth.TRUST
        ? BackendSecret.TRUST
        : BackendSecret.password(cluster.roles().password(ClusterRoles.SERVICE));
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

  private static Topology topology() {
    ShardId home = new ShardId("shard-a");
    ShardGroup group =
        new ShardGroup("main", Optional.empty(), List.of(new KeyRange(home, "", "")));
    Placement everything = new Placement.Unsharded(group, home, false);
    Topology.LogicalDatabase app =
        new Topology.LogicalDatabase("app", Map.of(), List.of(), Map.of(), everything);
    return new Topology(group, List.of(group), List.of(), Map.of("app", app));
  }

  int port() {
    return address.getPort();
  }

  int sessions() {
    return server.sessions();
  }

  Connection connect(String... options) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", ClusterRoles.OWNER);
    for (int i = 0; i < options.length; i += 2) {
      properties.setProperty(options[i], options[i + 1]);
    }
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port() + "/app", properties);
  }

  @Override
  public void close() {
    server.close();
  }
}
