package org.pgconcord.backfill;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
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
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Two shards with an owner table {@code things(sk, id, k)} and the lookup table {@code things_by_k}
 * on the first. Triggers log each change of an owner row, which stands in for the change stream.
 */
final class OwnerShards implements AutoCloseable {
  static final ShardId A = new ShardId("shard-a");
  static final ShardId B = new ShardId("shard-b");
  static final TableName OWNER = new TableName("public", "things");
  static final TableName LOOKUP = new TableName("public", "things_by_k");

  private final ShardCluster cluster;
  private final List<Connection> holders = new ArrayList<>();
  private LookupIndex index;

  OwnerShards() throws SQLException {
    this.cluster = ShardCluster.start(2);
    try (Connection service = cluster.asService(A)) {
      CatalogInstaller.installShard(service);
    }
    this.index = recreate("text", "bigint", false);
  }

  LookupIndex index() {
    return index;
  }

  /** Makes both tables anew, empty, with these types. */
  LookupIndex recreate(String keyType, String shardKeyType, boolean ignoreNull)
      throws SQLException {
    releaseAll();
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = cluster.asOwner(shard)) {
        run(
            owner,
            "DROP TABLE IF EXISTS things, things_log CASCADE",
            "CREATE TABLE things (sk "
                + shardKeyType
                + ", id bigint PRIMARY KEY, k "
                + keyType
                + ")",
            "CREATE INDEX ON things (k)",
            "CREATE TABLE things_log (n bigint GENERATED ALWAYS AS IDENTITY, old_k text, old_sk"
                + " text, new_k text, new_sk text)",
            """
            CREATE OR REPLACE FUNCTION log_thing() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO things_log (old_k, old_sk, new_k, new_sk) VALUES
                (CASE WHEN TG_OP <> 'INSERT' THEN OLD.k::text END,
                 CASE WHEN TG_OP <> 'INSERT' THEN OLD.sk::text END,
                 CASE WHEN TG_OP <> 'DELETE' THEN NEW.k::text END,
                 CASE WHEN TG_OP <> 'DELETE' THEN NEW.sk::text END);
              RETURN NULL;
            END $$""",
            "CREATE TRIGGER log_thing AFTER INSERT OR UPDATE OR DELETE ON things FOR EACH ROW"
                + " EXECUTE FUNCTION log_thing()");
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
    Connection connection = cluster.asService(shard);
    run(
        connection,
        "SET DateStyle = ISO",
        "SET TimeZone = 'UTC'",
        "SET extra_float_digits = 1",
        "SET bytea_output = hex",
        "SET IntervalStyle = postgres");
    return connection;
  }

  ShardCluster cluster() {
    return cluster;
  }

  /** Puts a row on the shard where its shard key belongs. */
  void insert(long id, @Nullable String key, String shardKey) throws SQLException {
    insertOn(index.shardOf(shardKey), id, key, shardKey);
  }

  void insertOn(ShardId shard, long id, @Nullable String key, String shardKey) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        PreparedStatement insert =
            owner.prepareStatement("INSERT INTO things (sk, id, k) VALUES (?, ?, ?)")) {
      insert.setObject(1, shardKey, Types.OTHER);
      insert.setLong(2, id);
      insert.setObject(3, key, Types.OTHER);
      insert.executeUpdate();
    }
  }

  /** Many rows on both shards: keys {@code prefix}1 ... each once, by SQL alone. */
  void insertMany(String prefix, int count) throws SQLException {
    List<String> tenants = List.of(tenantOf(A), tenantOf(B));
    for (int i = 0; i < 2; i++) {
      try (Connection owner = cluster.asOwner(i == 0 ? A : B)) {
        run(
            owner,
            "INSERT INTO things SELECT "
                + tenants.get(i)
                + ", n, '"
                + prefix
                + "' || n FROM generate_series(1, "
                + count
                + ") n WHERE n % 2 = "
                + i,
            "ANALYZE things");
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

  /** Makes a slot on each shard and exports its snapshot. */
  Map<ShardId, OwnerSnapshot> snapshots() throws SQLException {
    Map<ShardId, OwnerSnapshot> snapshots = new TreeMap<>();
    for (ShardId shard : List.of(A, B)) {
      snapshots.put(shard, snapshot(shard));
    }
    return snapshots;
  }

  OwnerSnapshot snapshot(ShardId shard) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", "postgres");
    properties.setProperty("password", cluster.roles().password("postgres"));
    properties.setProperty("replication", "database");
    properties.setProperty("assumeMinServerVersion", "15");
    properties.setProperty("preferQueryMode", "simple");
    Connection holder =
        DriverManager.getConnection(cluster.url(shard, ShardCluster.DATABASE), properties);
    holders.add(holder);
    try (Statement statement = holder.createStatement();
        ResultSet row =
            statement.executeQuery(
                "CREATE_REPLICATION_SLOT build_"
                    + System.nanoTime()
                    + " TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')")) {
      row.next();
      return new OwnerSnapshot(
          shard, Lsn.parse(row.getString(2)), row.getString(3), new Held(holder));
    }
  }

  private record Held(Connection holder) implements OwnerSnapshot.Hold {
    @Override
    public boolean alive() {
      try {
        return holder.isValid(1);
      } catch (SQLException e) {
        return false;
      }
    }

    @Override
    public void release() {
      try {
        holder.close();
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Ends every session that holds a snapshot, as the end of the process would. */
  void releaseAll() throws SQLException {
    for (Connection holder : holders) {
      holder.close();
    }
    holders.clear();
  }

  /** The numbers of the log's rows that a snapshot sees: what the stream will not bring again. */
  Set<Long> logSeenBy(OwnerSnapshot snapshot) throws SQLException {
    try (Connection reader = cluster.asOwner(snapshot.shard());
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SET TRANSACTION SNAPSHOT '" + snapshot.name() + "'");
      Set<Long> seen = new HashSet<>();
      try (ResultSet row = statement.executeQuery("SELECT n FROM things_log")) {
        while (row.next()) {
          seen.add(row.getLong(1));
        }
      }
      return seen;
    }
  }

  /** The simplest tail: replays the log rows of a shard that its snapshot did not see. */
  void replay(ShardId shard, Set<Long> seen) throws SQLException {
    try (Connection owner = cluster.asOwner(shard);
        Connection target = service(A);
        Statement statement = owner.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT n, old_k, old_sk, new_k, new_sk FROM things_log ORDER BY n")) {
      while (row.next()) {
        if (seen.contains(row.getLong(1))) {
          continue;
        }
        if (row.getString(2) != null) {
          change(
              target,
              "DELETE FROM things_by_k WHERE k = ? AND sk = ?",
              row.getString(2),
              row.getString(3));
        }
        if (row.getString(4) != null) {
          change(
              target,
              "INSERT INTO things_by_k (k, sk) VALUES (?, ?)",
              row.getString(4),
              row.getString(5));
        }
      }
    }
  }

  private static void change(Connection target, String sql, String key, String shardKey)
      throws SQLException {
    try (PreparedStatement statement = target.prepareStatement(sql)) {
      statement.setObject(1, key, Types.OTHER);
      statement.setObject(2, shardKey, Types.OTHER);
      statement.executeUpdate();
    }
  }

  /** The lookup table's entries, by key. */
  Map<String, String> entries() throws SQLException {
    return entries(A, "things_by_k");
  }

  /** What the owners' rows derive to, by key. */
  Map<String, String> expected() throws SQLException {
    Map<String, String> all = new HashMap<>(entries(A, "things"));
    all.putAll(entries(B, "things"));
    return all;
  }

  private Map<String, String> entries(ShardId shard, String table) throws SQLException {
    Map<String, String> entries = new HashMap<>();
    try (Connection service = service(shard);
        Statement statement = service.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT k, sk FROM " + table + " WHERE k IS NOT NULL")) {
      while (row.next()) {
        Entry entry = new Entry(row.getString(1), row.getString(2));
        entries.put(entry.key(), entry.shardKey());
      }
    }
    return entries;
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
  public void close() throws SQLException {
    releaseAll();
    cluster.close();
  }
}
