package org.pgconcord.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.ThingsByKey.run;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.ThingsByKey;

/**
 * Two shards with things by key. Triggers log each change of an owner row, which stands in for the
 * change stream.
 */
final class OwnerShards implements AutoCloseable {
  private final ShardCluster cluster;
  private final List<Connection> holders = new ArrayList<>();
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

  /** Makes both tables anew, empty, with these types. */
  LookupIndex recreate(String keyType, String shardKeyType, boolean ignoreNull)
      throws SQLException {
    return recreate(keyType, shardKeyType, ignoreNull, List.of());
  }

  /** The same, with a lookup table that is spread over both shards by this key. */
  LookupIndex recreate(
      String keyType, String shardKeyType, boolean ignoreNull, List<String> lookupKey)
      throws SQLException {
    releaseAll();
    DeclaredIndex declared =
        ThingsByKey.create(cluster, keyType, shardKeyType, ignoreNull, lookupKey);
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = cluster.asOwner(shard)) {
        run(
            owner,
            "DROP TABLE IF EXISTS things_log",
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
    index = LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
    for (ShardId lookup : index.lookupShards()) {
      try (Connection service = cluster.asService(lookup)) {
        run(service, "DROP TABLE IF EXISTS things_by_k");
        run(service, LookupDdl.createTable(index).toArray(new String[0]));
      }
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
    insertOn(index.shardOf(Tuple.of(shardKey)), id, key, shardKey);
  }

  void insertOn(ShardId shard, long id, @Nullable String key, String shardKey) throws SQLException {
    try (Connection owner = cluster.asOwner(shard)) {
      ThingsByKey.insert(owner, id, key, shardKey);
    }
  }

  /** Many rows on both shards: keys {@code prefix}1 ... each once, by SQL alone. */
  void insertMany(String prefix, int count) throws SQLException {
    for (ShardId shard : List.of(A, B)) {
      try (Connection owner = cluster.asOwner(shard)) {
        run(
            owner,
            "INSERT INTO things " + ThingsByKey.manyRows(shard, prefix, count),
            "ANALYZE things");
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
          ThingsByKey.change(
              target,
              "DELETE FROM things_by_k WHERE k = ? AND sk = ?",
              row.getString(2),
              row.getString(3));
        }
        if (row.getString(4) != null) {
          ThingsByKey.entry(target, row.getString(4), row.getString(5));
        }
      }
    }
  }

  /** The lookup table's entries, by key; each must be on the shard of its key. */
  Map<String, String> entries() throws SQLException {
    Map<String, String> all = new HashMap<>();
    for (ShardId lookup : index.lookupShards()) {
      Map<String, String> here = entries(lookup, "things_by_k");
      for (String key : here.keySet()) {
        assertThat(index.lookupShard(Tuple.of(key))).as(key).isEqualTo(lookup);
      }
      all.putAll(here);
    }
    return all;
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
        entries.put(row.getString(1), row.getString(2));
      }
    }
    return entries;
  }

  @Override
  public void close() throws SQLException {
    releaseAll();
    cluster.close();
  }
}
