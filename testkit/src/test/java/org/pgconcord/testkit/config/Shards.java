package org.pgconcord.testkit.config;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * Connections to an embedded cluster as the product opens them, and the page's example document.
 */
final class Shards {
  static final ShardId A = new ShardId("shard-a");
  static final ShardId B = new ShardId("shard-b");

  static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"by_tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "tenants", "default_shard_index": "by_tenant",
          "key_ranges": [{"shard_uid": "shard-a", "end": "80"},
                         {"shard_uid": "shard-b", "start": "80"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {
           "by_email": {"schema": "public", "table": "users_by_email", "owner_table": "users",
                        "columns": ["email"], "unique": true}},
         "schemas": {"public": {
           "tables": {
             "users": {"shard_group": "tenants",
                       "secondary_indexes": [{"name": "by_email", "columns": ["email"]}]},
             "users_by_email": {"shard_group": "meta"}},
           "reference_tables": {"countries": {"shard_groups": ["tenants"]}}}}}}}
      """;

  static final String USERS =
      "CREATE TABLE users (tenant_id bigint, user_id bigint, email text NOT NULL, name text,"
          + " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))";

  private Shards() {}

  static ShardConnections connections(ShardCluster cluster) {
    Map<ShardId, ShardSettings> shards = new TreeMap<>();
    for (ShardId shard : cluster.shards()) {
      ShardAddress address = new ShardAddress("127.0.0.1", cluster.shard(shard).port());
      shards.put(shard, new ShardSettings(List.of(address), "disable", Map.of()));
    }
    ServiceRole role = new ServiceRole(ClusterRoles.SERVICE, Optional.empty());
    return new ShardConnections(shards, role.user(), new ServicePassword(role, Map.of()));
  }

  static void asOwner(ShardCluster cluster, ShardId shard, String... statements)
      throws SQLException {
    try (Connection connection = cluster.asOwner(shard)) {
      run(connection, statements);
    }
  }

  static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }
}
