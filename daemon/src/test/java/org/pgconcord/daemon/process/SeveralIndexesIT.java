package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * Two indexes of one owner table, one slot on each shard for both. The second is built while the
 * first is enabled and everybody writes; a daemon is ended in the middle; one is stopped and built
 * again while the other goes on.
 */
class SeveralIndexesIT {
  private static final Duration AUDIT = Duration.ofSeconds(30);

  @Test
  void aLaterIndexComesInWhileTheFirstIsInUse() throws Exception {
    Suite suite = Suite.begin("several indexes", 1);
    try (SampleSystem system = SampleSystem.start(3_000, suite.seed())) {
      declareBoth(system);
      try (Writers writers = new Writers(10_000_000).onShards(system.cluster(), 2, suite.seed())) {
        try (DaemonProcess daemon = system.startDaemon()) {
          Gsi first = new Gsi(daemon);
          Gsi second = new Gsi(daemon, "by_name");
          try (Writers clients = new Writers(50_000_000).throughRouter(system, 2, suite.seed())) {
            first.build();
            first.verifyAndEnable();
            assertThat(second.build().path("state").asText()).isEqualTo("tailing");
            assertThat(slots(system)).isEqualTo(List.of("1 false", "1 false"));
            assertThat(second.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
            assertThat(first.state()).isEqualTo("enabled");
            clients.stop();
          }
          daemon.kill();
        }
        goesOnInTheNextDaemon(system, writers);
      }
    }
  }

  private static void goesOnInTheNextDaemon(SampleSystem system, Writers writers) throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      Gsi first = new Gsi(daemon);
      Gsi second = new Gsi(daemon, "by_name");
      second.awaitIdle();
      assertThat(first.verify().path("clean").asBoolean()).isTrue();
      assertThat(second.verify().path("clean").asBoolean()).isTrue();
      duplicatesOfOneAreFoundAmongBoth(system);
      assertThat(second.stop().path("state").asText()).isEqualTo("needs_resync");
      assertThat(slots(system)).isEqualTo(List.of("1 false", "1 false"));
      assertThat(first.verify().path("clean").asBoolean()).isTrue();
      second.build();
      assertThat(second.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      assertThat(first.state()).isEqualTo("enabled");
      try (Writers clients = new Writers(70_000_000).throughRouter(system, 2, 7)) {
        byName(system).ownerRows();
        clients.stop();
      }
      writers.stop();
      byName(system).awaitNone(AUDIT);
      system.checker().awaitNone(AUDIT);
      assertThat(byName(system).ownerRows()).isGreaterThan(3_000);
    }
  }

  /** One INSERT maintains both: refused by the unique one, it leaves nothing in the other. */
  private static void duplicatesOfOneAreFoundAmongBoth(SampleSystem system) throws Exception {
    try (Connection router = system.router();
        Statement statement = router.createStatement()) {
      statement.execute(
          "INSERT INTO users (tenant_id, user_id, email, name)"
              + " VALUES (1, 900001, 'one@several.example', 'several')");
      for (int tenant = 2; tenant < 10; tenant++) {
        String again =
            "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 900002, '%s', 'several')"
                .formatted(tenant, "one@several.example");
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> statement.execute(again))
            .hasMessageContaining("by_email");
      }
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT count(*) FROM users WHERE tenant_id = 1 AND name = 'several'")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(1);
      }
    }
    ShardId home = system.cluster().shards().get(0);
    try (Connection service = system.cluster().asService(home);
        Statement statement = service.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT count(*) FROM users_by_name WHERE name = 'several'")) {
      rows.next();
      assertThat(rows.getInt(1)).isEqualTo(1);
    }
  }

  private static void declareBoth(SampleSystem system) throws Exception {
    String document = Files.readString(system.topologyFile());
    Files.writeString(
        system.topologyFile(),
        document
            .replace(
                "\"global_secondary_indexes\": {",
                """
                "global_secondary_indexes": {
                "by_name": {
                  "schema": "public", "table": "users_by_name", "owner_table": "users",
                  "columns": ["name"], "owner_pk_columns": ["user_id"],
                  "unique": false, "ignore_null": true, "enabled": false
                },""")
            .replace(
                "{ \"name\": \"by_email\", \"columns\": [\"email\"] }",
                "{ \"name\": \"by_email\", \"columns\": [\"email\"] },"
                    + " { \"name\": \"by_name\", \"columns\": [\"name\"] }")
            .replace(
                "\"users_by_email\": { \"shard_group\": \"meta\" }",
                "\"users_by_email\": { \"shard_group\": \"meta\" },"
                    + " \"users_by_name\": { \"shard_group\": \"meta\" }"));
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute("CREATE INDEX ON users (name)");
      }
    }
  }

  private static InvariantChecker byName(SampleSystem system) {
    List<ShardId> shards = system.cluster().shards();
    return new InvariantChecker(
        new IndexUnderTest(
            new TableName("public", "users"),
            new TableName("public", "users_by_name"),
            List.of("name"),
            List.of("tenant_id", "user_id"),
            false,
            shards,
            List.of(shards.get(0))),
        system.cluster()::asService);
  }

  /** For each shard: how many slots it has, and whether one is temporary. */
  private static List<String> slots(SampleSystem system) throws SQLException {
    List<String> slots = new java.util.ArrayList<>();
    for (ShardId shard : system.cluster().shards()) {
      try (Connection connection = system.cluster().asSuperuser(shard);
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT count(*) || ' ' || bool_or(temporary)::text FROM pg_replication_slots")) {
        row.next();
        slots.add(row.getString(1));
      }
    }
    return slots;
  }
}
