package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * The life of an index whose entries are more than one key and one shard key, with writers on it
 * all the time: built, verified, enabled, read, audited, disabled.
 */
class EntryShapesIT {
  private static final Duration AUDIT = Duration.ofSeconds(30);

  /** What the sample's index is declared as instead. */
  private record Shape(String name, List<String> columns, List<String> primaryKey, boolean unique) {
    String declaration() {
      return "\"columns\": %s, \"owner_pk_columns\": %s, \"unique\": %s, \"ignore_null\": true"
          .formatted(json(columns), json(primaryKey), unique);
    }

    private static String json(List<String> names) {
      return names.stream().map(n -> "\"" + n + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    String document(String sample) {
      return sample
          .replace("\"unique\": true,", "")
          .replace("\"ignore_null\": false,", "")
          .replace("\"columns\": [\"email\"],\n", declaration() + ",\n")
          .replace("\"columns\": [\"email\"] }", "\"columns\": " + json(columns) + " }");
    }

    InvariantChecker checker(SampleSystem system) {
      List<String> owned = new java.util.ArrayList<>(List.of("tenant_id"));
      owned.addAll(primaryKey);
      List<ShardId> shards = system.cluster().shards();
      return new InvariantChecker(
          new IndexUnderTest(
              new TableName("public", "users"),
              new TableName("public", "users_by_email"),
              columns,
              owned.stream().distinct().toList(),
              unique,
              shards,
              List.of(shards.get(0))),
          system.cluster()::asService);
    }
  }

  @Test
  void aUniqueIndexOverTwoColumnsThatNamesTheRowItself() throws Exception {
    life(
        new Shape(
            "unique over two columns",
            List.of("email", "name"),
            List.of("tenant_id", "user_id"),
            true),
        "email = 'both@shapes.example' AND name = 'both'");
  }

  @Test
  void anIndexThatIsNotUnique() throws Exception {
    life(new Shape("not unique", List.of("name"), List.of("user_id"), false), "name = 'both'");
  }

  /** Its rows come through the router alone, which knows where they belong. */
  @Test
  void anOwnerThatIsShardedByTwoColumns() throws Exception {
    Suite suite = Suite.begin("entry shapes, two shard-key columns", 1);
    Shape shape = new Shape("two shard-key columns", List.of("email"), List.of("user_id"), true);
    try (SampleSystem system = SampleSystem.start(0, suite.seed())) {
      declare(system, shape);
      Files.writeString(
          system.topologyFile(),
          Files.readString(system.topologyFile())
              .replace("[\"tenant_id\"]", "[\"tenant_id\", \"user_id\"]"));
      InvariantChecker checker = shape.checker(system);
      try (DaemonProcess daemon = system.startDaemon();
          Writers writers = new Writers(10_000_000).throughRouter(system, 3, suite.seed())) {
        Gsi gsi = new Gsi(daemon);
        gsi.build();
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        long before = writers.reads();
        while (writers.reads() < before + 100) {
          LockSupport.parkNanos(1_000_000);
        }
        writers.stop();
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        refusesTheSameEmailElsewhere(system);
        changesBehindTheRouter(system);
        checker.awaitNone(AUDIT);
        assertThat(checker.ownerRows()).isGreaterThan(20);
      }
    }
  }

  private static void refusesTheSameEmailElsewhere(SampleSystem system) throws SQLException {
    try (Connection router = system.router()) {
      for (int i = 1; i <= 8; i++) {
        String insert =
            "INSERT INTO users (tenant_id, user_id, email) VALUES (5, %d, 'one@shapes.example')"
                .formatted(i);
        if (i == 1) {
          execute(router, insert);
        } else {
          assertThatThrownBy(() -> execute(router, insert)).hasMessageContaining("duplicate key");
        }
      }
      assertThat(texts(router, "SELECT user_id FROM users WHERE email = 'one@shapes.example'"))
          .containsExactly("1");
    }
  }

  private static void changesBehindTheRouter(SampleSystem system) throws SQLException {
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        execute(owner, "UPDATE users SET email = 'changed-' || email WHERE user_id % 3 = 0");
        execute(owner, "DELETE FROM users WHERE user_id % 5 = 0");
      }
    }
  }

  private static void life(Shape shape, String predicate) throws Exception {
    Suite suite = Suite.begin("entry shapes, " + shape.name(), 1);
    try (SampleSystem system = SampleSystem.start(3_000, suite.seed())) {
      declare(system, shape);
      InvariantChecker checker = shape.checker(system);
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        try (Writers writers =
            new Writers(10_000_000)
                .throughRouter(system, 2, suite.seed())
                .onShards(system.cluster(), 2, suite.seed())) {
          JsonNode status = gsi.build();
          assertThat(status.path("state").asText()).isEqualTo("tailing");
          assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
          assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
          readsWhatItWrites(system, shape, predicate);
          writers.stop();
          assertThat(writers.changes()).isPositive();
        }
        checker.awaitNone(AUDIT);
        assertThat(checker.ownerRows()).isGreaterThan(3_000);
        namesAndMendsWhatIsWrong(system, gsi);
        checker.awaitNone(AUDIT);
        assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
        try (Writers writers =
            new Writers(20_000_000).onShards(system.cluster(), 2, suite.seed())) {
          checker.ownerRows();
          writers.stop();
        }
        checker.awaitNone(AUDIT);
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
      }
    }
  }

  private static void declare(SampleSystem system, Shape shape) throws Exception {
    Files.writeString(
        system.topologyFile(), shape.document(Files.readString(system.topologyFile())));
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard)) {
        execute(owner, "CREATE INDEX ON users (" + String.join(", ", shape.columns()) + ")");
      }
    }
  }

  /** Rows with one name, in several tenants: found at once, and gone at once. */
  private static void readsWhatItWrites(SampleSystem system, Shape shape, String predicate)
      throws SQLException {
    try (Connection router = system.router()) {
      String select = "SELECT user_id FROM users WHERE " + predicate;
      assertThat(texts(router, "EXPLAIN (ROUTER) " + select)).anyMatch(l -> l.contains("by_email"));
      int rows = shape.unique() ? 1 : 20;
      TreeSet<String> expected = new TreeSet<>();
      for (int i = 1; i <= rows; i++) {
        expected.add(Integer.toString(i + 900_000));
        execute(
            router,
            "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, %d, '%s', 'both')"
                .formatted(i, i + 900_000, rows == 1 ? "both@shapes.example" : "b" + i));
        assertThat(texts(router, select)).hasSize(i);
      }
      execute(
          router,
          "INSERT INTO users (tenant_id, user_id, email, name)"
              + " VALUES (7, 999999, 'null@shapes.example', NULL)");
      assertThat(texts(router, select)).containsExactlyInAnyOrderElementsOf(expected);
      readsItsOwnTransaction(router, shape, select, rows);
      execute(router, "DELETE FROM users WHERE tenant_id = 1 AND name = 'both'");
      execute(router, "DELETE FROM users WHERE tenant_id = 7 AND user_id = 999999");
      assertThat(texts(router, select)).hasSize(rows - 1);
    }
  }

  private static void readsItsOwnTransaction(
      Connection router, Shape shape, String select, int rows) throws SQLException {
    router.setAutoCommit(false);
    execute(router, "DELETE FROM users WHERE tenant_id = 1 AND name = 'both'");
    if (shape.unique()) {
      assertThat(texts(router, select)).hasSize(rows - 1);
    }
    router.rollback();
    router.setAutoCommit(true);
    assertThat(texts(router, select)).hasSize(rows);
  }

  private static void namesAndMendsWhatIsWrong(SampleSystem system, Gsi gsi) throws Exception {
    ShardId home = system.cluster().shards().get(0);
    try (Connection service = system.cluster().asService(home)) {
      execute(service, "CREATE TEMP TABLE kept AS SELECT * FROM users_by_email LIMIT 3");
      execute(
          service,
          "DELETE FROM users_by_email u USING kept k WHERE u.tenant_id = k.tenant_id"
              + " AND u.user_id = k.user_id");
      JsonNode report = gsi.verify();
      assertThat(report.path("clean").asBoolean()).as("%s", report).isFalse();
      assertThat(report.path("counts").path("missing").asInt()).as("%s", report).isEqualTo(3);
      assertThat(report.path("repaired").asInt()).as("%s", report).isEqualTo(3);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new java.util.ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        texts.add(row.getString(1));
      }
    }
    return texts;
  }
}
