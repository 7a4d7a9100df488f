package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * The life of two indexes on an owner that uses what schemas use: partitions of partitions, domains
 * for key and shard key, a generated column, a default, triggers that change rows before they are
 * stored and write others afterwards.
 */
class OwnerFeaturesIT {
  private static final Duration AUDIT = Duration.ofSeconds(30);
  private static final int ROWS = 3_000;

  private static final List<String> OWNER =
      List.of(
          "DROP TABLE users",
          "CREATE DOMAIN tenant AS bigint CHECK (VALUE > 0)",
          "CREATE DOMAIN short AS varchar(60) CHECK (VALUE LIKE '%@%')",
          "CREATE DOMAIN address AS short DEFAULT 'nobody@features.example'",
          "CREATE TABLE users (tenant_id tenant, user_id bigint, email address NOT NULL, name text,"
              + " handle text GENERATED ALWAYS AS (lower(name)) STORED,"
              + " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))"
              + " PARTITION BY HASH (tenant_id)",
          "CREATE TABLE users_0 PARTITION OF users FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
          "CREATE TABLE users_1 PARTITION OF users FOR VALUES WITH (MODULUS 2, REMAINDER 1)"
              + " PARTITION BY LIST (tenant_id)",
          "CREATE TABLE users_1_rest PARTITION OF users_1 DEFAULT",
          "CREATE INDEX ON users (name)",
          "ALTER TABLE users_0 REPLICA IDENTITY FULL",
          "ALTER TABLE users_1_rest REPLICA IDENTITY FULL",
          "CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN NEW.email := lower(NEW.email); RETURN NEW; END'",
          "CREATE TRIGGER tidies BEFORE INSERT OR UPDATE ON users"
              + " FOR EACH ROW EXECUTE FUNCTION tidy()",
          "CREATE FUNCTION accompany() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN INSERT INTO users (tenant_id, user_id, email, name) VALUES (NEW.tenant_id,"
              + " -NEW.user_id, ''bot-'' || NEW.email, NEW.name || '' Bot''); RETURN NULL; END'",
          "CREATE TRIGGER accompanies AFTER INSERT ON users FOR EACH ROW"
              + " WHEN (NEW.name LIKE 'Boss%' AND NEW.user_id > 0) EXECUTE FUNCTION accompany()");

  @Test
  void partitionsDomainsGeneratedColumnsAndTriggers() throws Exception {
    Suite suite = Suite.begin("owner features", 1);
    try (SampleSystem system = SampleSystem.start(0, suite.seed())) {
      declare(system);
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi byEmail = new Gsi(daemon, "by_email");
        Gsi byName = new Gsi(daemon, "by_name");
        assertThat(byEmail.build().path("state").asText()).isEqualTo("tailing");
        assertThat(byName.build().path("state").asText()).isEqualTo("tailing");
        changesBehindTheRouter(system, "tailing");
        assertThat(byEmail.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        assertThat(byName.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        throughTheRouter(system);
        changesBehindTheRouter(system, "enabled");
        for (InvariantChecker checker : checkers(system)) {
          checker.awaitNone(AUDIT);
          assertThat(checker.ownerRows()).isGreaterThan(ROWS / 2);
        }
        for (Gsi gsi : List.of(byEmail, byName)) {
          JsonNode report = gsi.verify();
          assertThat(report.path("clean").asBoolean()).as("%s", report).isTrue();
        }
        attachesAPartitionWithRows(system, List.of(byEmail, byName));
      }
    }
  }

  private static void throughTheRouter(SampleSystem system) throws SQLException {
    try (Connection router = system.router()) {
      execute(router, insert(7, 1_000_001, "Ada@Features.Example", "Ada L"));
      assertThat(texts(router, "SELECT user_id FROM users WHERE email = 'ada@features.example'"))
          .containsExactly("1000001");
      assertThat(texts(router, "SELECT user_id FROM users WHERE name = 'Ada L'"))
          .containsExactly("1000001");
      assertThat(texts(router, "EXPLAIN (ROUTER) SELECT 1 FROM users WHERE name = 'Ada L'"))
          .anyMatch(line -> line.contains("by_name"));
      assertThat(texts(router, "EXPLAIN (ROUTER) SELECT 1 FROM users WHERE tenant_id = 7"))
          .noneMatch(line -> line.contains("catter"));
      for (int tenant = 8; tenant < 16; tenant++) {
        String again = insert(tenant, 1_000_002, "ADA@features.example", "Other");
        assertThat(fails(router, again).getSQLState()).isEqualTo("23505");
      }
      byParameters(router);
      refusals(router);
      execute(router, insert(9, 1_000_009, "boss@features.example", "Boss"));
      execute(router, "DELETE FROM users WHERE tenant_id = 7 AND user_id = 1000001");
      assertThat(texts(router, "SELECT user_id FROM users WHERE email = 'ada@features.example'"))
          .isEmpty();
    }
  }

  private static void byParameters(Connection router) throws SQLException {
    try (PreparedStatement insert =
            router.prepareStatement(
                "INSERT INTO users (tenant_id, user_id, email, name) VALUES (?, ?, ?, ?)");
        PreparedStatement select =
            router.prepareStatement(
                "SELECT count(*) FROM users WHERE tenant_id = ? AND email = ?")) {
      for (int i = 0; i < 20; i++) {
        insert.setLong(1, 100 + i);
        insert.setLong(2, 2_000_000 + i);
        insert.setString(3, "p%d@features.example".formatted(i));
        insert.setString(4, "P" + i);
        insert.executeUpdate();
        select.setLong(1, 100 + i);
        select.setString(2, "p%d@features.example".formatted(i));
        try (ResultSet row = select.executeQuery()) {
          row.next();
          assertThat(row.getInt(1)).isEqualTo(1);
        }
      }
    }
  }

  /** The domain's own default counts as one; what the domain refuses is the shard's to refuse. */
  private static void refusals(Connection router) {
    assertThat(fails(router, "INSERT INTO users (tenant_id, user_id) VALUES (7, 5)").getSQLState())
        .isEqualTo("0A000");
    assertThat(fails(router, insert(7, 5, "no address", "x")).getSQLState()).isEqualTo("23514");
    assertThat(fails(router, insert(-7, 5, "m@features.example", "x")).getSQLState())
        .isEqualTo("23514");
  }

  /** To each partition directly, over the root, and from partition to partition. */
  private static void changesBehindTheRouter(SampleSystem system, String mark) throws SQLException {
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        execute(owner, "UPDATE users_0 SET email = '" + mark + "-' || email WHERE user_id % 3 = 0");
        execute(owner, "UPDATE users SET name = name || '!' WHERE user_id % 4 = 0");
        execute(owner, "DELETE FROM users_1_rest WHERE user_id % 7 = 0");
      }
    }
  }

  /** No stream shows its rows: they are given their entries, and only then read by the index. */
  private static void attachesAPartitionWithRows(SampleSystem system, List<Gsi> gsis)
      throws Exception {
    List<Long> epochs = gsis.stream().map(OwnerFeaturesIT::epoch).toList();
    ShardId shard = system.cluster().shards().get(1);
    try (Connection owner = system.cluster().asOwner(shard)) {
      execute(owner, "ALTER TABLE users DETACH PARTITION users_0");
      execute(owner, "UPDATE users_0 SET email = 're-' || email WHERE user_id % 2 = 0");
      execute(
          owner,
          "ALTER TABLE users ATTACH PARTITION users_0 FOR VALUES WITH (MODULUS 2, REMAINDER 0)");
    }
    for (int i = 0; i < gsis.size(); i++) {
      Gsi gsi = gsis.get(i);
      long before = epochs.get(i);
      Awaitility.await("down and up again")
          .atMost(Duration.ofMinutes(2))
          .until(() -> epoch(gsi) >= before + 2 && gsi.state().equals("enabled"));
    }
    for (InvariantChecker checker : checkers(system)) {
      checker.awaitNone(AUDIT);
    }
  }

  private static long epoch(Gsi gsi) {
    return gsi.status().path("epoch").asLong();
  }

  // --- the system ------------------------------------------------------------------------------

  private static void declare(SampleSystem system) throws Exception {
    String sample = Files.readString(system.topologyFile());
    Files.writeString(
        system.topologyFile(),
        sample
            .replace(
                "\"by_email\": {",
                "\"by_name\": {\"schema\": \"public\", \"table\": \"users_by_name\","
                    + " \"owner_table\": \"users\", \"columns\": [\"name\"],"
                    + " \"owner_pk_columns\": [\"user_id\"], \"unique\": false,"
                    + " \"ignore_null\": true}, \"by_email\": {")
            .replace(
                "\"secondary_indexes\": [",
                "\"secondary_indexes\": [{\"name\": \"by_name\", \"columns\": [\"name\"]}, ")
            .replace(
                "\"users_by_email\": { \"shard_group\": \"meta\" }",
                "\"users_by_email\": {\"shard_group\": \"meta\"},"
                    + " \"users_by_name\": {\"shard_group\": \"meta\"}"));
    var locator = SampleTopology.locator(system.cluster().shards());
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        for (String sql : OWNER) {
          execute(owner, sql);
        }
        owner.setAutoCommit(false);
        try (PreparedStatement insert =
            owner.prepareStatement(
                "INSERT INTO users (tenant_id, user_id, email, name) VALUES (?, ?, ?, ?)")) {
          for (int i = 1; i <= ROWS; i++) {
            int tenant = i % 50 + 1;
            if (locator.locate(Integer.toString(tenant)).equals(shard)) {
              insert.setLong(1, tenant);
              insert.setLong(2, i);
              insert.setString(3, "U%d@Features.Example".formatted(i));
              insert.setString(4, i % 10 == 0 ? null : "Name " + i % 300);
              insert.addBatch();
            }
          }
          insert.executeBatch();
        }
        owner.commit();
      }
    }
  }

  private static List<InvariantChecker> checkers(SampleSystem system) {
    List<ShardId> shards = system.cluster().shards();
    IndexUnderTest byName =
        new IndexUnderTest(
            new TableName("public", "users"),
            new TableName("public", "users_by_name"),
            List.of("name"),
            List.of("tenant_id", "user_id"),
            false,
            shards,
            List.of(shards.get(0)));
    return List.of(system.checker(), new InvariantChecker(byName, system.cluster()::asService));
  }

  private static String insert(int tenant, int user, String email, String name) {
    return "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, %d, '%s', '%s')"
        .formatted(tenant, user, email, name);
  }

  private static SQLException fails(Connection connection, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> execute(connection, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
