package org.pgconcord.verifier;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Two shards with an owner table {@code things(sk, id, k)} and the lookup table {@code things_by_k}
 * on the first.
 */
final class OwnerShards implements AutoCloseable {
  static final ShardId A = new ShardId("shard-a");
  static final ShardId B = new ShardId("shard-b");
  static final TableName OWNER = new TableName("public", "things");
  static final TableName LOOKUP = new TableName("public", "things_by_k");

  private final ShardCluster cluster;
  private LookupIndex index;

  OwnerShards() throws SQLException {
    this.cluster = ShardCluster.start(2);
    for (ShardId shard : List.of(A, B)) {
      try (Connection service = cluster.asService(shard)) {
        CatalogInstaller.installShard(service);
      }
    }
    this.index = recreate("text", "bigint", false);
  }

  LookupIndex index() {
    return index;
  }

  ShardCluster cluster() {
    return cluster;
  }

  /** Makes both tables anew, empty, with these types. */
  LookupIndex recreate(String keyType, String shardKeyType, boolean ignoreNull)
      throws SQLException {
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = cluster.asOwner(shard)) {
        run(
            owner,
            "DROP TABLE IF EXISTS things",
            "CREATE TABLE things (sk "
                + shardKeyType
                + ", id bigint PRIMARY KEY, k "
                + keyType
                + ")",
            "CREATE INDEX ON things (k)",
            "ALTER TABLE things REPLICA IDENTITY FULL");
      }
    }
    index = LookupIndex.resolve(topology(gsi(ignoreNull)), schema(), gsi(ignoreNull));
    try (Connection service = cluster.asService(A)) {
      run(service, "DROP TABLE IF EXISTS things_by_k");
      run(service, LookupDdl.createTable(index).toArray(new String[0]));
    }
    return index;
  }

  Connection service(ShardId shard) throws SQLException {
    return cluster.asService(shard);
  }

  /** Puts a row on the shard where its shard key belongs, and its entry beside it. */
  void insertBoth(long id, String key, String shardKey) throws SQLException {
    insert(index.shardOf(shardKey), id, key, shardKey);
    entry(key, shardKey);
  }

  void insert(ShardId shard, long id, @Nullable String key, @Nullable String shardKey)
      throws SQLException {
    try (Connection owner = cluster.asOwner(shard)) {
      change(owner, "INSERT INTO things (sk, id, k) VALUES (?, " + id + ", ?)", shardKey, key);
    }
  }

  void entry(String key, String shardKey) throws SQLException {
    try (Connection service = service(A)) {
      change(service, "INSERT INTO things_by_k (k, sk) VALUES (?, ?)", key, shardKey);
    }
  }

  static void change(Connection connection, String sql, @Nullable String... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i], Types.OTHER);
      }
      statement.executeUpdate();
    }
  }

  /** Rows {@code prefix}1 ... on both shards with their entries, by SQL alone. */
  void insertMany(String prefix, int count) throws SQLException {
    List<ShardId> shards = List.of(A, B);
    for (int i = 0; i < 2; i++) {
      String rows =
          "SELECT %s, n, '%s' || n FROM generate_series(1, %d) n WHERE n %% 2 = %d"
              .formatted(tenantOf(shards.get(i)), prefix, count, i);
      try (Connection owner = cluster.asOwner(shards.get(i));
          Connection service = service(A)) {
        run(owner, "INSERT INTO things " + rows, "ANALYZE things");
        run(
            service,
            "INSERT INTO things_by_k (sk, k) SELECT q.a, q.c FROM (" + rows + ") q(a, b, c)");
      }
    }
  }

  /** The lowest integer shard key of a shard. */
  String tenantOf(ShardId shard) {
    for (int tenant = 1; ; tenant++) {
      if (index.shardOf(Integer.toString(tenant)).equals(shard)) {
        return Integer.toString(tenant);
      }
    }
  }

  @Nullable String entryOf(String key) throws SQLException {
    try (Connection service = service(A);
        PreparedStatement statement =
            service.prepareStatement("SELECT sk FROM things_by_k WHERE k = ?")) {
      statement.setObject(1, key, Types.OTHER);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() ? row.getString(1) : null;
      }
    }
  }

  private static Gsi gsi(boolean ignoreNull) {
    return new Gsi(
        new GsiName("app", "by_k"),
        LOOKUP,
        OWNER,
        List.of("k"),
        List.of("sk"),
        List.of(),
        true,
        ignoreNull,
        false);
  }

  private static Topology topology(Gsi gsi) {
    ShardGroup meta = new ShardGroup("meta", Optional.empty(), List.of(new KeyRange(A, "", "")));
    ShardGroup data =
        new ShardGroup(
            "data",
            Optional.of("x"),
            List.of(new KeyRange(A, "", "80"), new KeyRange(B, "80", "")));
    ShardIndex hash =
        new ShardIndex("x", ShardIndexType.XXHASH, List.of("sk"), OptionalLong.empty());
    Topology.LogicalDatabase app =
        new Topology.LogicalDatabase(
            "app",
            Map.of(
                OWNER, new Placement.Sharded(data, hash),
                LOOKUP, new Placement.Lookup(gsi.name(), A)),
            List.of(gsi),
            Map.of(),
            new Placement.Unsharded(meta, A, false));
    return new Topology(meta, List.of(meta, data), List.of(hash), Map.of("app", app));
  }

  private TableSchema schema() throws SQLException {
    List<Column> columns = new ArrayList<>();
    try (Connection owner = cluster.asOwner(A);
        Statement statement = owner.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT a.attname, a.attnum, a.atttypid::int, format_type(a.atttypid, a.atttypmod),"
                    + " c.collname, a.attnotnull FROM pg_attribute a LEFT JOIN pg_collation c ON"
                    + " c.oid = a.attcollation WHERE a.attrelid = 'things'::regclass AND a.attnum"
                    + " > 0 ORDER BY a.attnum")) {
      while (row.next()) {
        columns.add(
            new Column(
                row.getString(1),
                row.getInt(2),
                row.getInt(3),
                row.getString(4),
                row.getString(5),
                true,
                row.getBoolean(6),
                false,
                false));
      }
    }
    return new TableSchema(
        OWNER,
        'r',
        columns,
        List.of(new UniqueKey("things_pkey", List.of("id"), true, true)),
        'f',
        List.of("sk", "id", "k"),
        false,
        0);
  }

  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
