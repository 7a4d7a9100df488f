package org.pgconcord.daemon.faults;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.daemon.process.DaemonProcess;
import org.pgconcord.daemon.process.Gsi;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/** The sample's users with a unique index, a unique one over two columns, and one that is not. */
final class ThreeIndexes {
  private static final TableName USERS = new TableName("public", "users");

  private ThreeIndexes() {}

  /** Before the first daemon. */
  static void declare(SampleSystem system) throws Exception {
    Files.writeString(
        system.topologyFile(),
        Files.readString(system.topologyFile())
            .replace(
                "\"global_secondary_indexes\": {",
                """
                "global_secondary_indexes": {
                "by_place": {
                  "schema": "public", "table": "users_by_place", "owner_table": "users",
                  "columns": ["country_code", "name"],
                  "owner_pk_columns": ["tenant_id", "user_id"],
                  "unique": true, "ignore_null": true, "enabled": false
                },
                "by_country": {
                  "schema": "public", "table": "users_by_country", "owner_table": "users",
                  "columns": ["country_code"], "owner_pk_columns": ["user_id"],
                  "unique": false, "ignore_null": true, "enabled": false
                },""")
            .replace(
                "{ \"name\": \"by_email\", \"columns\": [\"email\"] }",
                "{ \"name\": \"by_email\", \"columns\": [\"email\"] },"
                    + " { \"name\": \"by_place\", \"columns\": [\"country_code\", \"name\"] },"
                    + " { \"name\": \"by_country\", \"columns\": [\"country_code\"] }")
            .replace(
                "\"users_by_email\": { \"shard_group\": \"meta\" }",
                "\"users_by_email\": { \"shard_group\": \"meta\" },"
                    + " \"users_by_place\": { \"shard_group\": \"meta\" },"
                    + " \"users_by_country\": { \"shard_group\": \"meta\" }"));
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute("CREATE INDEX ON users (country_code, name)");
      }
    }
  }

  /** Builds and enables all. */
  static void enable(DaemonProcess daemon) throws Exception {
    for (String name : List.of("by_email", "by_place", "by_country")) {
      Gsi gsi = new Gsi(daemon, name);
      gsi.build();
      gsi.verifyAndEnable();
    }
  }

  /** I1 to I3 of each. */
  static void awaitNone(SampleSystem system, Duration limit) throws SQLException {
    system.checker().awaitNone(limit);
    checker(system, "users_by_place", List.of("country_code", "name"), true).awaitNone(limit);
    checker(system, "users_by_country", List.of("country_code"), false).awaitNone(limit);
  }

  private static InvariantChecker checker(
      SampleSystem system, String lookup, List<String> key, boolean unique) {
    List<ShardId> shards = system.cluster().shards();
    return new InvariantChecker(
        new IndexUnderTest(
            USERS,
            new TableName("public", lookup),
            key,
            List.of("tenant_id", "user_id"),
            unique,
            shards,
            List.of(shards.get(0))),
        system.cluster()::asService);
  }
}
