package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.util.PSQLException;
import org.xml.sax.InputSource;

/** EXPLAIN in both of its meanings, against three shards. */
class ExplainIT {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {
           "by_email": {"schema": "public", "table": "users_by_email", "owner_table": "users",
             "columns": ["email"], "owner_pk_columns": ["user_id"], "unique": true,
             "gsi_mode": "extended"}},
         "schemas": {"public": {
           "reference_tables": {"countries": {"shard_groups": ["data"]}},
           "tables": {
           "users": {"shard_group": "data", "secondary_indexes": [
             {"name": "by_email", "columns": ["email"]}]},
           "orders": {"shard_group": "data"},
           "notes": {"shard_group": "meta"},
           "users_by_email": {"shard_group": "meta"}}}}}}}
      """;

  private static final List<String> DDL =
      List.of(
          "CREATE TABLE users (tenant_id bigint NOT NULL, user_id bigint NOT NULL, email text NOT"
              + " NULL, name text, PRIMARY KEY (tenant_id, user_id))",
          "CREATE INDEX ON users (email)",
          "CREATE TABLE orders (tenant_id bigint, order_id bigint, total numeric, PRIMARY KEY"
              + " (tenant_id, order_id))",
          "CREATE TABLE countries (code text PRIMARY KEY, name text)",
          "CREATE TABLE notes (id int PRIMARY KEY, body text)");

  /** Statements of every kind; what they return when they run. */
  private static final List<String> READS =
      List.of(
          "SELECT * FROM users WHERE tenant_id = 5",
          "SELECT * FROM users WHERE tenant_id IN (1, 2, 3)",
          "SELECT * FROM countries",
          "SELECT * FROM users",
          "SELECT count(*), max(email) FROM users",
          "SELECT u.name, o.total FROM users u JOIN orders o ON o.order_id = u.user_id ORDER BY 1, 2",
          "SELECT * FROM users WHERE email = 'u7'",
          "SELECT * FROM users WHERE email = 'nobody'",
          "SELECT * FROM notes",
          "SELECT 1 WHERE false");

  private static final List<String> WRITES =
      List.of(
          "UPDATE orders SET total = 0 WHERE tenant_id = 5",
          "UPDATE orders SET total = 0",
          "DELETE FROM users WHERE tenant_id = 5",
          "DELETE FROM users",
          "DELETE FROM users WHERE email = 'u7'",
          "UPDATE users SET email = email || 'x' RETURNING email",
          "INSERT INTO users VALUES (50, 1, 'n1', 'n'), (51, 1, 'n2', 'n'), (52, 1, 'n3', 'n')",
          "INSERT INTO users VALUES (50, 1, 'u7', 'n') ON CONFLICT DO NOTHING",
          "UPDATE countries SET name = 'x'",
          "INSERT INTO notes VALUES (9, 'n')");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static DeclaredRouter router;

  @BeforeAll
  static void start() throws SQLException {
    router = new DeclaredRouter(3, DOCUMENT, DDL);
    try (Connection client = router.connect("simple")) {
      for (int i = 0; i < 20; i++) {
        rows(client, "INSERT INTO users VALUES (%1$d, %1$d, 'u%1$d', 'name')".formatted(i));
        rows(client, "INSERT INTO orders VALUES (%1$d, %1$d, %1$d)".formatted(i));
      }
      rows(client, "INSERT INTO countries VALUES ('DE', 'Germany'), ('IS', 'Iceland')");
      rows(client, "INSERT INTO notes VALUES (1, 'one')");
    }
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  // --- EXPLAIN (ROUTER, ANALYZE) ---------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void readsAreRunAndCounted(String mode) throws Exception {
    try (Connection client = router.connect(mode)) {
      for (String read : READS) {
        JsonNode actual = analyzed(client, read).path("Actual");
        assertThat(actual.path("Rows").asInt()).as(read).isEqualTo(rows(client, read).size());
        assertThat(actual.path("Command Tag").asText())
            .as(read)
            .isEqualTo("SELECT " + actual.path("Rows").asInt());
        assertThat(actual.path("Shards")).as(read).isNotEmpty();
        assertThat(actual.path("Shards").get(0).path("Time").asDouble()).as(read).isPositive();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void writesAreRunInTheClientsTransaction(String mode) throws Exception {
    try (Connection client = router.connect(mode)) {
      String before = everything(client);
      for (String write : WRITES) {
        rows(client, "BEGIN");
        rows(client, write);
        String expected = everything(client);
        rows(client, "ROLLBACK");
        rows(client, "BEGIN");
        analyzed(client, write);
        assertThat(everything(client)).as(write).isEqualTo(expected);
        rows(client, "ROLLBACK");
        assertThat(everything(client)).as(write).isEqualTo(before);
      }
      assertThat(router.violations()).isEmpty();
    }
  }

  @Test
  void aWriteOutsideOfATransactionStaysWithItsEntries() throws Exception {
    try (Connection client = router.connect("simple")) {
      JsonNode plan =
          analyzed(client, "INSERT INTO users VALUES (70, 1, 'm1', 'n'), (71, 1, 'm2', 'n')");
      assertThat(plan.path("Actual").path("Command Tag").asText()).isEqualTo("INSERT 0 2");
      assertThat(plan.path("Actual").path("Shards").findValuesAsText("Role"))
          .contains("client", "service");
      assertThat(rows(client, "SELECT email FROM users WHERE email IN ('m1', 'm2') ORDER BY 1"))
          .containsExactly("m1", "m2");
      assertThat(router.violations()).isEmpty();
      analyzed(client, "DELETE FROM users WHERE tenant_id IN (70, 71)");
      assertThat(rows(client, "SELECT 1 FROM users WHERE email = 'm1'")).isEmpty();
      assertThat(router.violations()).isEmpty();
    }
  }

  @Test
  void whatFailsIsTheAnswer() throws Exception {
    try (Connection client = router.connect("simple")) {
      String taken = "EXPLAIN (ROUTER, ANALYZE) INSERT INTO users VALUES (70, 1, 'u7', 'n')";
      assertThat(state(client, taken)).isEqualTo("23505");
      assertThat(state(client, "EXPLAIN (ROUTER, ANALYZE) SELECT 1 / (user_id - 7) FROM users"))
          .isEqualTo("22012");
      rows(client, "BEGIN");
      assertThat(state(client, taken)).isEqualTo("23505");
      assertThat(state(client, "SELECT 1")).isEqualTo("25P02");
      rows(client, "ROLLBACK");
      assertThat(rows(client, "SELECT 1 FROM users WHERE tenant_id = 70")).isEmpty();
      assertThat(router.violations()).isEmpty();
    }
  }

  @Test
  void textSaysWhatEachShardDid() throws SQLException {
    try (Connection client = router.connect("simple")) {
      List<String> lines =
          rows(
              client,
              "EXPLAIN (ROUTER, ANALYZE, VERBOSE) SELECT name FROM users WHERE email = 'u7'");
      assertThat(lines.get(0)).isEqualTo("Route: index lookup, then one shard");
      assertThat(lines)
          .anyMatch(l -> l.matches("  Actual: SELECT 1, rows=1 bytes=\\d+ time=.* ms"));
      assertThat(lines)
          .anyMatch(l -> l.matches("    Service role on shard-a: requests=\\d+ rows=1 .*"))
          .anyMatch(l -> l.matches("    Shard shard-.: requests=1 rows=1 bytes=\\d+ time=.* ms"))
          .anyMatch(l -> l.startsWith("      Sent: SELECT name FROM users WHERE ( email = 'u7')"));
    }
  }

  @Test
  void preparedStatementsDescribeTheirParameters() throws Exception {
    try (Connection client = router.connect("extended");
        PreparedStatement explain =
            client.prepareStatement(
                "EXPLAIN (ROUTER, ANALYZE, FORMAT JSON) SELECT * FROM users WHERE tenant_id = ?"
                    + " AND name = ?")) {
      assertThat(explain.getParameterMetaData().getParameterCount()).isEqualTo(2);
      assertThat(explain.getMetaData().getColumnTypeName(1)).isEqualTo("json");
      for (int tenant = 0; tenant < 7; tenant++) {
        explain.setLong(1, tenant);
        explain.setString(2, "name");
        try (ResultSet result = explain.executeQuery()) {
          result.next();
          JsonNode plan = JSON.readTree(result.getString(1)).path(0).path("Router Plan");
          assertThat(plan.path("Shards")).hasSize(1);
          assertThat(plan.path("Actual").path("Rows").asInt()).isEqualTo(1);
        }
      }
    }
  }

  // --- EXPLAIN by the shards -------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void eachShardExplainsUnderAHeading(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      List<String> lines = rows(client, "EXPLAIN (COSTS OFF) SELECT * FROM users");
      assertThat(lines)
          .containsExactly(
              "Shard shard-a",
              "  Seq Scan on users",
              "Shard shard-b",
              "  Seq Scan on users",
              "Shard shard-c",
              "  Seq Scan on users");
      assertThat(rows(client, "EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE tenant_id = 5"))
          .noneMatch(line -> line.startsWith("Shard "));
      assertThat(rows(client, "EXPLAIN (COSTS OFF) SELECT count(*) FROM orders"))
          .contains("Fetch public.orders on shard shard-b");
      List<String> byIndex =
          rows(client, "EXPLAIN (COSTS OFF) SELECT * FROM users WHERE email = 'u7'");
      assertThat(byIndex).anyMatch(line -> line.contains("tenant_id = '7'::bigint"));
      assertThat(byIndex.stream().filter(line -> line.startsWith("Shard "))).hasSize(1);
    }
  }

  @Test
  void writesAreExplainedAndNeverRun() throws SQLException {
    try (Connection client = router.connect("simple")) {
      String before = everything(client);
      for (String write : WRITES) {
        assertThat(rows(client, "EXPLAIN " + write)).as(write).isNotEmpty();
        assertThat(everything(client)).as(write).isEqualTo(before);
      }
      for (String write : WRITES.subList(1, WRITES.size() - 1)) {
        assertThatThrownBy(() -> rows(client, "EXPLAIN ANALYZE " + write))
            .as(write)
            .hasMessageContaining("[explain/needs-router]");
        assertThat(everything(client)).as(write).isEqualTo(before);
      }
      assertThat(router.violations()).isEmpty();
    }
  }

  @Test
  void aWriteOfOneShardIsAnalyzedOnce() throws SQLException {
    try (Connection client = router.connect("simple")) {
      rows(client, "EXPLAIN ANALYZE UPDATE orders SET total = total + 1 WHERE tenant_id = 6");
      assertThat(rows(client, "SELECT total FROM orders WHERE tenant_id = 6")).containsExactly("7");
      rows(client, "UPDATE orders SET total = 6 WHERE tenant_id = 6");
    }
  }

  @Test
  void analyzeRunsReadsOnEveryShard() throws Exception {
    try (Connection client = router.connect("simple")) {
      JsonNode plans =
          JSON.readTree(
              rows(client, "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM users").get(0));
      assertThat(plans.findValuesAsText("Shard")).containsExactly("shard-a", "shard-b", "shard-c");
      assertThat(
              plans.findValuesAsText("Actual Rows").stream()
                  .mapToInt(rows -> (int) Double.parseDouble(rows))
                  .sum())
          .isEqualTo(20);
    }
  }

  @Test
  void documentsOfSeveralShardsAreDocuments() throws Exception {
    try (Connection client = router.connect("simple")) {
      for (String sql : List.of("SELECT * FROM users", "SELECT count(*) FROM orders")) {
        String json = rows(client, "EXPLAIN (FORMAT JSON) " + sql).get(0);
        assertThat(JSON.readTree(json)).hasSize(3);
        assertThat(JSON.readTree(json).findValues("Plan")).hasSize(3);
        String yaml = rows(client, "EXPLAIN (FORMAT YAML) " + sql).get(0);
        assertThat(yaml.lines().filter(line -> line.startsWith("- Shard: \"shard-"))).hasSize(3);
        assertThat(yaml.lines().filter(line -> line.startsWith("  Plan: "))).hasSize(3);
        String xml = rows(client, "EXPLAIN (FORMAT XML) " + sql).get(0);
        assertThat(
                DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)))
                    .getElementsByTagName("Shard")
                    .getLength())
            .isEqualTo(3);
      }
    }
  }

  @Test
  void parametersReachEachShardsPart() throws SQLException {
    String sql =
        "EXPLAIN (VERBOSE, COSTS OFF) SELECT u.name, ?::int FROM users u JOIN orders o"
            + " ON o.order_id = u.user_id WHERE o.total > ? AND u.name = ? ORDER BY 1";
    try (Connection client = router.connect("extended");
        PreparedStatement explain = client.prepareStatement(sql)) {
      explain.setInt(1, 1);
      explain.setInt(2, 2);
      explain.setString(3, "x");
      List<String> lines = new ArrayList<>();
      try (ResultSet result = explain.executeQuery()) {
        while (result.next()) {
          lines.add(result.getString(1));
        }
      }
      assertThat(lines)
          .anyMatch(l -> l.contains("'x'"))
          .contains("Fetch public.users on shard shard-c");
    }
  }

  /** The fetches alone would not tell: they name no column that is not there. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void whatIsWrongWithAGatheredQueryIsToldInItsOwnWords(String mode) throws SQLException {
    String sql = "EXPLAIN SELECT nosuch, count(*) FROM users GROUP BY 1";
    try (Connection client = router.connect(mode)) {
      assertThatThrownBy(() -> rows(client, sql))
          .isInstanceOfSatisfying(
              PSQLException.class,
              e -> {
                assertThat(e.getSQLState()).isEqualTo("42703");
                assertThat(e.getServerErrorMessage().getPosition())
                    .isEqualTo(sql.indexOf("nosuch") + 1);
              });
    }
  }

  @Test
  void wrongOptionsAreTheShardsBusiness() throws SQLException {
    try (Connection client = router.connect("simple")) {
      assertThatThrownBy(() -> rows(client, "EXPLAIN (COLOUR) SELECT * FROM users"))
          .hasMessageContaining("unrecognized EXPLAIN option \"colour\"");
      assertThatThrownBy(() -> rows(client, "EXPLAIN (ROUTER, COLOUR) SELECT * FROM users"))
          .hasMessageContaining("unrecognized EXPLAIN option \"colour\"");
    }
  }

  // --- questions -------------------------------------------------------------------------------

  private static JsonNode analyzed(Connection client, String sql) throws Exception {
    String json = rows(client, "EXPLAIN (ROUTER, ANALYZE, FORMAT JSON) " + sql).get(0);
    return JSON.readTree(json).path(0).path("Router Plan");
  }

  /** All rows, as this client's transaction sees them. */
  private static String everything(Connection client) throws SQLException {
    List<String> all = new ArrayList<>();
    for (String table : List.of("users", "orders", "countries", "notes")) {
      all.addAll(
          rows(
              client,
              "SELECT concat_ws(',', %s) FROM %s ORDER BY 1".formatted(columns(table), table)));
    }
    return String.join("\n", all);
  }

  private static String columns(String table) {
    return switch (table) {
      case "users" -> "tenant_id, user_id, email, name";
      case "orders" -> "tenant_id, order_id, total";
      case "countries" -> "code, name";
      default -> "id, body";
    };
  }

  private static String state(Connection client, String sql) {
    try {
      rows(client, sql);
      return "none";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }
}
