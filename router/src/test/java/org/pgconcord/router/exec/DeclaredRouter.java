package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.FencedTable;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.catalog.Stands;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.Survey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.HandOvers;
import org.pgconcord.router.tx.PartialCommitLog;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.StoredDecisions;
import org.pgconcord.router.tx.TransactionMetrics;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;
import org.pgconcord.testkit.invariant.ReferrerChecker;
import org.pgconcord.testkit.invariant.Violation;

/**
 * A router in front of shards whose tables a test declares by a topology document of its own. Its
 * indexes are enabled and empty, and it commits in two phases where a key moves.
 */
final class DeclaredRouter implements AutoCloseable {
  final ShardCluster cluster;
  final RouterEpochs epochs;
  private volatile Topology topology;
  private Topology.LogicalDatabase app;
  private RoutingState routing;

  /** What the router knows of the lookup tables. */
  volatile IndexStatistics statistics = IndexStatistics.NONE;

  private final RouterServices services;
  private final List<RouterServer> servers = new ArrayList<>();
  private final List<Integer> ports = new ArrayList<>();
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
    topology = TopologyReader.read(document).orThrow();
    app = topology.database(ShardCluster.DATABASE).orElseThrow();
    routing = routing(1);
    epochs = new RouterEpochs(routing);
    LookupIndexes indexes = new LookupIndexes(routing);
    createLookups(indexes);
    services =
        new RouterServices(
            epochs,
            new StatementPlanner(),
            indexes,
            (gsi, keys) -> {},
            (table, copies, reason) -> CompletableFuture.completedFuture(null),
            TransactionMetrics.NONE,
            new Deadlocks(),
            Duration.ofSeconds(5),
            app.gsis().isEmpty() ? Decisions.NONE : decisions(),
            Replicas.NONE,
            () -> statistics);
    another();
  }

  /** Starts one more router over the same shards; its place for {@link #connect(int, String)}. */
  int another() {
    RouterServer server =
        new RouterServer(
            RouterSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RouterSettings.Auth.TRUST),
            directory(),
            () -> topology,
            new RouterServer.ServiceRole(ClusterRoles.SERVICE, BackendSecret.TRUST),
            Executor.factory(services),
            new RouterMetrics(new SimpleMeterRegistry()));
    servers.add(server);
    ports.add(server.start().getPort());
    return ports.size() - 1;
  }

  /** Ends a router, its sessions and what it holds in memory. */
  void kill(int router) {
    servers.get(router).close();
  }

  private RoutingState routing(long revision) throws SQLException {
    try (Connection owner = cluster.asOwner(cluster.shards().get(0))) {
      return new RoutingState(
          revision,
          topology,
          states(GsiState.ENABLED, 1),
          Map.of(ShardCluster.DATABASE, SchemaReader.read(owner, app.tables().keySet())));
    }
  }

  /** Looks at all shards as a daemon does, at the relations that no document names too. */
  void survey() {
    Survey survey =
        Objects.requireNonNull(
            new SchemaSurvey(connections()).read(topology).get(ShardCluster.DATABASE));
    routing =
        new RoutingState(
            epochs.current().revision() + 1,
            topology,
            states(GsiState.ENABLED, 1),
            Map.of(ShardCluster.DATABASE, RoutingStates.schemas(app, survey)),
            Map.of(ShardCluster.DATABASE, TopologyCheck.misplaced(app, survey)),
            Map.of(ShardCluster.DATABASE, survey.namesakes()),
            Map.of(ShardCluster.DATABASE, survey.code()),
            CopyMarks.NONE,
            Fences.NONE,
            Stands.NONE);
    epochs.publish(routing);
  }

  private ShardConnections connections() {
    Map<ShardId, ShardSettings> settings = new TreeMap<>();
    for (ShardId shard : cluster.shards()) {
      ShardAddress address = new ShardAddress("127.0.0.1", cluster.shard(shard).port());
      settings.put(shard, new ShardSettings(List.of(address), "disable", Map.of()));
    }
    ServiceRole role = new ServiceRole(ClusterRoles.SERVICE, Optional.empty());
    return new ShardConnections(settings, role.user(), new ServicePassword(role, Map.of()));
  }

  private Map<GsiName, RoutingState.GsiStatus> states(GsiState state, long epoch) {
    Map<GsiName, RoutingState.GsiStatus> states = new HashMap<>();
    app.gsis().forEach(g -> states.put(g.name(), new RoutingState.GsiStatus(state, "", epoch)));
    return states;
  }

  private void createLookups(LookupIndexes indexes) throws SQLException {
    for (ShardId shard : cluster.shards()) {
      try (Connection service = cluster.asService(shard)) {
        CatalogInstaller.installShard(
            service,
            app.tables().keySet().stream()
                .map(table -> new FencedTable(ShardCluster.DATABASE, table))
                .toList());
      }
    }
    for (Gsi gsi : app.gsis()) {
      LookupIndex index = indexes.of(routing, gsi);
      try (Connection service = cluster.asService(index.lookupShards().get(0))) {
        rows(service, "CREATE SCHEMA IF NOT EXISTS pgconcord");
        for (String ddl : LookupDdl.createTable(index)) {
          rows(service, ddl);
        }
        for (String ddl : LookupDdl.createFunctions(index)) {
          rows(service, ddl);
        }
      }
    }
  }

  private Decisions decisions() throws SQLException {
    ShardId home = cluster.shards().get(0);
    String id;
    try (Connection service = cluster.asService(home)) {
      CatalogInstaller.installCatalog(service);
      id = rows(service, "SELECT id FROM pgconcord.cluster").get(0);
    }
    String name = GlobalId.random(new SecureRandom());
    return new StoredDecisions(
        new StoredDecisions.Names(id, name, ClusterRoles.SERVICE),
        new DecisionLog(RouterPresence.shown(name, () -> service(home))),
        new PartialCommitLog(new PartialCommits(() -> service(home))),
        new HandOvers(stuck -> Map.of(), () -> HandOvers.HELD),
        Set::of,
        Duration.ofSeconds(30));
  }

  private Connection service(ShardId shard) {
    try {
      return cluster.asService(shard);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Other tables, which the shards have by now, in place of all that were declared. */
  void redeclare(String document) throws SQLException {
    topology = TopologyReader.read(document).orThrow();
    app = topology.database(ShardCluster.DATABASE).orElseThrow();
    routing = routing(epochs.current().revision() + 1);
    epochs.publish(routing);
  }

  /** All indexes are in this state from now on. */
  void publish(GsiState state) {
    long revision = epochs.current().revision() + 1;
    epochs.publish(
        new RoutingState(revision, routing.topology(), states(state, revision), routing.schemas()));
  }

  /** What is broken of any index. */
  List<Violation> violations() throws SQLException {
    List<Violation> all = new ArrayList<>();
    for (Gsi gsi : app.gsis()) {
      all.addAll(new InvariantChecker(underTest(gsi), cluster::asSuperuser).violations());
    }
    return all;
  }

  /** Rows of tables that refer to an index and name no mapping, where none was taken away. */
  List<Violation> unmapped() throws SQLException {
    List<Violation> all = new ArrayList<>();
    int named = 0;
    for (Referrer referrer : app.referrers()) {
      Gsi gsi =
          app.gsis().stream()
              .filter(g -> g.name().equals(referrer.gsi()))
              .findFirst()
              .orElseThrow();
      ReferrerChecker checker =
          new ReferrerChecker(
              referrer.table(),
              referrer.columns(),
              cluster.shards(),
              underTest(gsi),
              cluster::asSuperuser);
      named += checker.named();
      all.addAll(checker.violations(Set.of()));
    }
    assertThat(named).as("keys that rows name").isPositive();
    return all;
  }

  private IndexUnderTest underTest(Gsi gsi) {
    List<String> owned = new ArrayList<>(gsi.ownerShardKey());
    owned.addAll(gsi.ownerPrimaryKey());
    return new IndexUnderTest(
        gsi.owner(),
        gsi.lookup(),
        gsi.columns(),
        owned,
        gsi.unique(),
        cluster.shards(),
        List.of(cluster.shards().get(0)));
  }

  private ShardDirectory directory() {
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

  /** {@code mode}: pgJDBC's preferQueryMode. */
  Connection connect(String mode) throws SQLException {
    return connect(0, mode);
  }

  /** To one of several routers. */
  Connection connect(int router, String mode) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/app?user=%s&preferQueryMode=%s"
            .formatted(ports.get(router), ClusterRoles.OWNER, mode));
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

  /** Connects anew where {@link #direct} is used next: a server was started again. */
  void forget() {
    direct.clear();
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
    servers.forEach(RouterServer::close);
    cluster.close();
  }
}
