package org.pgconcord.router.exec;

import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.NationGenerator;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.PartSupplier;
import io.trino.tpch.PartSupplierGenerator;
import io.trino.tpch.RegionGenerator;
import io.trino.tpch.SupplierGenerator;
import io.trino.tpch.TextPool;
import io.trino.tpch.TpchEntity;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.postgresql.PGConnection;

/**
 * The data of TPC-H twice: whole on one server, and behind a router over three shards. Orders and
 * their items are sharded by the order's key, parts and who supplies them by the part's, customers
 * by their own; what is small is copied to every shard.
 */
final class TpchServer implements AutoCloseable {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {
         "order": {"type": "xxhash", "columns": ["o_orderkey"]},
         "item": {"type": "xxhash", "columns": ["l_orderkey"]},
         "part": {"type": "xxhash", "columns": ["p_partkey"]},
         "supply": {"type": "xxhash", "columns": ["ps_partkey"]},
         "customer": {"type": "xxhash", "columns": ["c_custkey"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]}],
       "databases": {"app": {"schemas": {"public": {
         "tables": {
           "orders": {"shard_group": "data", "shard_index": "order"},
           "lineitem": {"shard_group": "data", "shard_index": "item"},
           "part": {"shard_group": "data", "shard_index": "part"},
           "partsupp": {"shard_group": "data", "shard_index": "supply"},
           "customer": {"shard_group": "data", "shard_index": "customer"}},
         "reference_tables": {
           "supplier": {"shard_groups": ["data"]},
           "nation": {"shard_groups": ["data"]},
           "region": {"shard_groups": ["data"]}}}}}}}
      """;

  /** Comments are cut out of a text of this size; the specification's has 300 MB. */
  private static final int TEXT_BYTES = 1 << 20;

  private static final Set<String> COPIED = Set.of("supplier", "nation", "region");

  final DeclaredRouter router;

  /** All rows on one plain server. */
  final Connection whole;

  TpchServer(double scale) throws SQLException, IOException {
    List<String> schema = WholeServer.resource("/tpch/schema.sql");
    router = new DeclaredRouter(3, DOCUMENT, schema);
    ShardId first = router.cluster.shards().get(0);
    try (Connection admin = router.cluster.asSuperuser(first)) {
      WholeServer.run(admin, "CREATE DATABASE whole OWNER " + ClusterRoles.OWNER);
    }
    whole = router.cluster.connect(first, ClusterRoles.OWNER, "whole");
    for (String statement : schema) {
      WholeServer.run(whole, statement);
    }
    try (Connection client = router.connect("extended")) {
      for (Map.Entry<String, Iterable<? extends TpchEntity>> table : tables(scale).entrySet()) {
        String rows = rows(table.getValue());
        copy(whole, table.getKey(), rows);
        if (COPIED.contains(table.getKey())) {
          everywhere(table.getKey(), rows);
        } else {
          copy(client, table.getKey(), rows);
        }
      }
    }
    for (ShardId shard : router.cluster.shards()) {
      router.direct(shard, "ANALYZE");
    }
    WholeServer.run(whole, "ANALYZE");
  }

  private static Map<String, Iterable<? extends TpchEntity>> tables(double scale) {
    Distributions words = Distributions.getDefaultDistributions();
    TextPool text = new TextPool(TEXT_BYTES, words);
    Map<String, Iterable<? extends TpchEntity>> tables = new LinkedHashMap<>();
    tables.put("region", new RegionGenerator(words, text));
    tables.put("nation", new NationGenerator(words, text));
    tables.put("supplier", new SupplierGenerator(scale, 1, 1, words, text));
    tables.put("part", new PartGenerator(scale, 1, 1, words, text));
    tables.put("partsupp", new PartSupplierGenerator(scale, 1, 1, text));
    tables.put("customer", new CustomerGenerator(scale, 1, 1, words, text));
    tables.put("orders", new OrderGenerator(scale, 1, 1, words, text));
    tables.put("lineitem", new LineItemGenerator(scale, 1, 1, words, text));
    return tables;
  }

  /**
   * Every line of the generator ends with a separator. At the smallest scales it repeats a part's
   * supplier: the second is left out.
   */
  private static String rows(Iterable<? extends TpchEntity> entities) {
    StringBuilder rows = new StringBuilder();
    Set<String> supplies = new HashSet<>();
    for (TpchEntity entity : entities) {
      if (!(entity instanceof PartSupplier supply)
          || supplies.add(supply.getPartKey() + " " + supply.getSupplierKey())) {
        String line = entity.toLine();
        rows.append(line, 0, line.length() - 1).append('\n');
      }
    }
    return rows.toString();
  }

  private void everywhere(String table, String rows) throws SQLException, IOException {
    for (ShardId shard : router.cluster.shards()) {
      try (Connection owner = router.cluster.asOwner(shard)) {
        copy(owner, table, rows);
      }
    }
  }

  private static void copy(Connection connection, String table, String rows)
      throws SQLException, IOException {
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn("COPY " + table + " FROM STDIN (DELIMITER '|')", new StringReader(rows));
  }

  @Override
  public void close() throws SQLException {
    whole.close();
    router.close();
  }
}
