package org.pgconcord.router.exec;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.SchemaReader;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.invariant.CopyChecker;

/** A router in front of four shards, with copies of two reference tables on each. */
final class CopiesRouter implements AutoCloseable {
  static final TableName COUNTRIES = new TableName("public", "countries");
  static final TableName RATES = new TableName("public", "rates");
  static final TableName USERS = new TableName("public", "users");

  private static final String TOPOLOGY =
      """
      {
        "authoritative_shard_group": "meta",
        "shard_indexes": {"by_tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
        "shard_groups": [
          {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
          {"uid": "data", "default_shard_index": "by_tenant", "key_ranges": [
            {"shard_uid": "shard-a", "end": "40"},
            {"shard_uid": "shard-b", "start": "40", "end": "80"},
            {"shard_uid": "shard-c", "start": "80", "end": "c0"},
            {"shard_uid": "shard-d", "start": "c0"}]}
        ],
        "databases": {"app": {"schemas": {"public": {
          "tables": {"users": {"shard_group": "data"}},
          "reference_tables": {
            "countries": {"shard_groups": ["data"]},
            "rates": {"shard_groups": ["data"]},
            "audited": {"shard_groups": ["data"]},
            "keyless": {"shard_groups": ["data"]}}}}}}
      }
      """;

  private static final List<String> SCHEMA =
      List.of(
          "CREATE TABLE users (tenant_id bigint, user_id bigint, name text, code char(2), PRIMARY"
              + " KEY (tenant_id, user_id))",
          "CREATE TABLE countries (code char(2) PRIMARY KEY, name text)",
          "CREATE TYPE mood AS ENUM ('fine', 'so so')",
          "CREATE TABLE rates (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, code char(2),"
              + " rate double precision, seen timestamptz DEFAULT clock_timestamp(), token uuid"
              + " DEFAULT gen_random_uuid(), note text, tags text[], feeling mood, span interval,"
              + " doc jsonb, raw bytea, twice double precision GENERATED ALWAYS AS (rate * 2)"
              + " STORED, UNIQUE (code, note))",
          "CREATE TABLE audited (id bigint PRIMARY KEY)",
          "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
          "CREATE TRIGGER audit AFTER INSERT ON audited FOR EACH ROW EXECUTE FUNCTION nothing()",
          "CREATE TABLE keyless (id bigint)");

  final ShardCluster cluster;
  final RouterEpochs epochs;
  private final RouterServer server;
  private final int port;

  CopiesRouter() throws SQLException {
    cluster = ShardCluster.start(4);
    for (ShardId shard : cluster.shards()) {
      try (Connection owner = cluster.asOwner(shard);
          Statement statement = owner.createStatement()) {
        for (String each : SCHEMA) {
          statement.execute(each);
        }
      }
    }
    RoutingState state = state();
    for (ShardId shard : cluster.shards()) {
      try (Connection service = cluster.asService(shard)) {
        CatalogInstaller.installShard(service, state.fences().epochs().keySet());
      }
    }
    epochs = new RouterEpochs(state);
    RouterMetrics metrics = new RouterMetrics(new SimpleMeterRegistry());
    server =
        new RouterServer(
            RouterSettings.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RouterSettings.Auth.TRUST),
            directory(),
            () -> epochs.current().topology(),
            new RouterServer.ServiceRole(ClusterRoles.SERVICE, BackendSecret.TRUST),
            Executor.factory(
                new RouterServices(
                    epochs,
                    new StatementPlanner(),
                    new LookupIndexes(epochs.current()),
                    (gsi, keys) -> {},
                    this::mark,
                    metrics,
                    new Deadlocks(),
                    RouterServices.DEFAULT_LOCK_TIMEOUT)),
            metrics);
    port = server.start().getPort();
  }

  private RoutingState state() throws SQLException {
    Topology topology = TopologyReader.read(TOPOLOGY).orThrow();
    try (Connection owner = cluster.asOwner(cluster.shards().get(0))) {
      Map<TableName, TableSchema> schemas =
          SchemaReader.read(owner, topology.database("app").orElseThrow().tables().keySet());
      return new RoutingState(1, topology, Map.of(), Map.of("app", schemas))
          .withFences(
              new Fences(
                  Fences.tables(topology).stream()
                      .collect(Collectors.toMap(table -> table, table -> 1L))));
    }
  }

  private CompletableFuture<Void> mark(CopiedTable table, Set<ShardId> copies, String reason) {
    RoutingState current = epochs.current();
    epochs.publish(
        current.withCopies(
            new CopyMarks(
                current.copies().version() + 1,
                current.copies().with(table, copies, reason).reasons())));
    return CompletableFuture.completedFuture(null);
  }

  /** Forgets all marks. */
  void unmark() {
    RoutingState current = epochs.current();
    epochs.publish(current.withCopies(new CopyMarks(current.copies().version() + 1, Map.of())));
  }

  Set<String> marked(TableName table) {
    return epochs.current().copies().of(new CopiedTable("app", table)).stream()
        .map(ShardId::uid)
        .collect(Collectors.toSet());
  }

  CopyChecker checker(TableName table) {
    return new CopyChecker(table, cluster.shards(), cluster::asOwner);
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

  Connection connect() throws SQLException {
    return connect(Map.of());
  }

  /** With pgJDBC's properties. */
  Connection connect(Map<String, String> more) throws SQLException {
    Map<String, String> all = new HashMap<>(more);
    all.put("user", ClusterRoles.OWNER);
    Properties properties = new Properties();
    properties.putAll(all);
    return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/app", properties);
  }

  @Override
  public void close() {
    server.close();
    cluster.close();
  }
}
