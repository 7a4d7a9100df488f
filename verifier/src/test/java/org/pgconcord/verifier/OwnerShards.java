package org.pgconcord.verifier;

import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.ThingsByKey;

/** Two shards with things by key, and rows that have their entries or lack them. */
final class OwnerShards implements AutoCloseable {
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
    DeclaredIndex declared = ThingsByKey.create(cluster, keyType, shardKeyType, ignoreNull);
    index = LookupIndex.resolve(declared.topology(), declared.owner(), declared.gsi());
    try (Connection service = cluster.asService(A)) {
      ThingsByKey.run(service, "DROP TABLE IF EXISTS things_by_k");
      ThingsByKey.run(service, LookupDdl.createTable(index).toArray(new String[0]));
    }
    return index;
  }

  Connection service(ShardId shard) throws SQLException {
    return cluster.asService(shard);
  }

  /** Puts a row on the shard where its shard key belongs, and its entry beside it. */
  void insertBoth(long id, String key, String shardKey) throws SQLException {
    insert(index.shardOf(Tuple.of(shardKey)), id, key, shardKey);
    entry(key, shardKey);
  }

  void insert(ShardId shard, long id, @Nullable String key, @Nullable String shardKey)
      throws SQLException {
    try (Connection owner = cluster.asOwner(shard)) {
      ThingsByKey.insert(owner, id, key, shardKey);
    }
  }

  void entry(String key, String shardKey) throws SQLException {
    try (Connection service = service(A)) {
      ThingsByKey.entry(service, key, shardKey);
    }
  }

  /** Rows {@code prefix}1 ... on both shards with their entries, by SQL alone. */
  void insertMany(String prefix, int count) throws SQLException {
    for (ShardId shard : List.of(A, B)) {
      String rows = ThingsByKey.manyRows(shard, prefix, count);
      try (Connection owner = cluster.asOwner(shard);
          Connection service = service(A)) {
        ThingsByKey.run(owner, "INSERT INTO things " + rows, "ANALYZE things");
        ThingsByKey.run(
            service,
            "INSERT INTO things_by_k (sk, k) SELECT q.a, q.c FROM (" + rows + ") q(a, b, c)");
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

  @Override
  public void close() {
    cluster.close();
  }
}
