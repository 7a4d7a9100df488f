package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;

/** pgconcord.fanout and pgconcord.shard: what they refuse is refused before anything is sent. */
class FanOutIT {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "xxhash", "columns": ["tenant_id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "80"},
           {"shard_uid": "shard-b", "start": "80"}]}],
       "databases": {"app": {"schemas": {"public": {
         "reference_tables": {"countries": {"shard_groups": ["data"]}},
         "tables": {"orders": {"shard_group": "data"}, "returned": {"shard_group": "data"},
                    "notes": {"shard_group": "meta"}}}}}}}
      """;

  private static final List<String> SINGLE =
      List.of(
          "SELECT * FROM orders WHERE tenant_id = 5",
          "SELECT * FROM countries",
          "SELECT * FROM notes",
          "SELECT 1",
          "SELECT count(*) FROM orders WHERE tenant_id = 5",
          "INSERT INTO orders VALUES (5, 900)",
          "UPDATE countries SET name = name",
          "DELETE FROM orders WHERE tenant_id = 5 AND order_id = 900");

  private static final List<String> MULTI =
      List.of(
          "SELECT * FROM orders WHERE tenant_id IN (0, 1, 2, 3, 4, 5, 6, 7)",
          "SELECT count(*) FROM orders WHERE tenant_id IN (0, 1, 2, 3, 4, 5, 6, 7)",
          "INSERT INTO orders VALUES (0, 900), (1, 900), (2, 900), (3, 900), (4, 900), (5, 900)");

  private static final List<String> SCATTER =
      List.of(
          "SELECT * FROM orders",
          "SELECT count(*) FROM orders",
          "DELETE FROM orders WHERE order_id = 900",
          "EXPLAIN (ROUTER, ANALYZE) SELECT * FROM orders");

  /** Who waits for a table. */
  private static final String WAITING =
      "SELECT pid FROM pg_locks WHERE relation = 'returned'::regclass AND NOT granted";

  private static DeclaredRouter router;

  @BeforeAll
  static void start() throws SQLException {
    router =
        new DeclaredRouter(
            2,
            DOCUMENT,
            List.of(
                "CREATE TABLE orders (tenant_id bigint, order_id bigint, PRIMARY KEY (tenant_id,"
                    + " order_id))",
                "CREATE TABLE returned (tenant_id bigint, order_id bigint, PRIMARY KEY (tenant_id,"
                    + " order_id))",
                "CREATE FUNCTION told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " RAISE NOTICE 'row %', NEW.order_id; RETURN NEW; END $$",
                "CREATE TRIGGER told BEFORE UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION told()",
                "CREATE TABLE countries (code text PRIMARY KEY, name text)",
                "CREATE TABLE notes (id int PRIMARY KEY, body text)"));
    try (Connection client = router.connect("simple")) {
      for (int i = 0; i < 8; i++) {
        rows(client, "INSERT INTO orders VALUES (%1$d, %1$d)".formatted(i));
      }
    }
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void widerStatementsAreRefused(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      rows(client, "SET pgconcord.fanout = single");
      accepted(client, SINGLE);
      refused(client, MULTI, "multi", "single");
      refused(client, SCATTER, "scatter", "single");
      rows(client, "SET pgconcord.fanout TO 'MULTI'");
      accepted(client, SINGLE);
      accepted(client, MULTI);
      refused(client, SCATTER, "scatter", "multi");
      rows(client, "RESET pgconcord.fanout");
      accepted(client, SCATTER);
    }
  }

  private static void accepted(Connection client, List<String> statements) throws SQLException {
    for (String statement : statements) {
      rows(client, statement);
    }
  }

  private static void refused(
      Connection client, List<String> statements, String width, String allowed) {
    for (String statement : statements) {
      assertThatThrownBy(() -> rows(client, statement))
          .as(statement)
          .hasMessageContaining(
              "statement's fan-out (%s) exceeds pgconcord.fanout (%s)".formatted(width, allowed));
    }
  }

  @Test
  void theSettingFollowsTheTransaction() throws SQLException {
    try (Connection client = router.connect("simple")) {
      assertThat(rows(client, "SHOW pgconcord.functions")).containsExactly("checked");
      assertThat(rows(client, "SHOW pgconcord.fanout")).containsExactly("scatter");
      rows(client, "BEGIN; SET pgconcord.fanout = single; ROLLBACK");
      rows(client, "SELECT * FROM orders");
      rows(client, "BEGIN; SET LOCAL pgconcord.fanout = single");
      refused(client, List.of("SELECT * FROM orders"), "scatter", "single");
      rows(client, "ROLLBACK");
      assertThat(rows(client, "SELECT * FROM orders")).hasSize(8);
    }
    try (Connection client = withOptions("-c%20pgconcord.fanout=multi")) {
      assertThat(rows(client, "SHOW pgconcord.fanout")).containsExactly("multi");
      refused(client, List.of("SELECT * FROM orders"), "scatter", "multi");
    }
  }

  @Test
  void wrongNamesAndValuesAreRefused() throws SQLException {
    try (Connection client = router.connect("simple")) {
      assertThatThrownBy(() -> rows(client, "SET pgconcord.fanuot = single"))
          .hasMessageContaining("did you mean \"pgconcord.fanout\"?");
      assertThatThrownBy(() -> rows(client, "SET pgconcord.fanout = singel"))
          .hasMessageContaining("did you mean \"single\"?");
      assertThatThrownBy(() -> rows(client, "SHOW pgconcord.shrad"))
          .hasMessageContaining("did you mean \"pgconcord.shard\"?");
      assertThatThrownBy(() -> rows(client, "SELECT set_config('pgconcord.fanout', 'x', false)"))
          .hasMessageContaining("\"x\" is no value of pgconcord.fanout");
      assertThatThrownBy(() -> withOptions("-c%20pgconcord.fanout=wide"))
          .hasMessageContaining("is no value of pgconcord.fanout");
    }
  }

  @Test
  void inRepeatableReadEachShardKeepsASnapshotOfItsOwn() throws SQLException {
    String both =
        "SELECT count(*) FROM orders WHERE tenant_id IN (0, 1, 2, 3, 4, 5, 6, 7) AND order_id = 950";
    String insert =
        "INSERT INTO orders VALUES (0, 950), (1, 950), (2, 950), (3, 950), (4, 950), (5, 950)";
    try (Connection reader = router.connect("simple");
        Connection writer = router.connect("simple")) {
      rows(reader, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      assertThat(rows(reader, both)).containsExactly("0");
      rows(writer, insert);
      assertThat(rows(reader, both)).containsExactly("0");
      rows(reader, "COMMIT");
      assertThat(rows(reader, both)).containsExactly("6");
      rows(reader, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      String first =
          rows(reader, "SELECT tenant_id FROM orders WHERE order_id = 950 AND tenant_id IN (0)")
              .get(0);
      assertThat(first).isEqualTo("0");
      rows(writer, "DELETE FROM orders WHERE order_id = 950");
      String seen = rows(reader, both).get(0);
      assertThat(seen).as("the other shard's snapshot is younger").isNotIn("0", "6");
      rows(reader, "COMMIT");
    }
  }

  /** Two fetches of one statement: what commits on the shard between them is in neither. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aStatementReadsEachShardAtOneMoment(String mode) throws Exception {
    String both =
        "SELECT (SELECT count(*) FROM orders WHERE order_id = 960),"
            + " (SELECT count(*) FROM returned WHERE order_id = 960)";
    ShardId second = router.cluster.shards().get(1);
    try (Connection reader = router.connect(mode);
        Connection writer = router.connect("simple");
        Connection locker = router.cluster.asOwner(second)) {
      rows(writer, "INSERT INTO orders SELECT g, 960 FROM generate_series(0, 7) g");
      assertThat(answer(reader, both)).isEqualTo("8|0");
      String moved = rows(locker, "SELECT count(*) FROM orders WHERE order_id = 960").get(0);
      assertThat(moved).isNotEqualTo("0");
      rows(locker, "BEGIN");
      rows(locker, "LOCK TABLE returned IN ACCESS EXCLUSIVE MODE");
      CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> answer(reader, both));
      await().until(() -> !router.direct(second, WAITING).isEmpty());
      rows(locker, "INSERT INTO returned SELECT * FROM orders WHERE order_id = 960");
      rows(locker, "DELETE FROM orders WHERE order_id = 960");
      rows(locker, "COMMIT");
      assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo("8|0");
      assertThat(answer(reader, both)).endsWith("|" + moved);
      rows(writer, "DELETE FROM orders WHERE order_id = 960");
      rows(writer, "DELETE FROM returned WHERE order_id = 960");
    }
  }

  private static String answer(Connection reader, String sql) {
    try (Statement statement = reader.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1) + "|" + row.getString(2);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void noticesOfAllShardsComeThrough() throws SQLException {
    try (Connection client = router.connect("simple");
        Statement statement = client.createStatement()) {
      statement.execute("UPDATE orders SET order_id = order_id WHERE order_id < 8");
      int notices = 0;
      for (SQLWarning one = statement.getWarnings(); one != null; one = one.getNextWarning()) {
        notices++;
      }
      assertThat(notices).isEqualTo(8);
    }
  }

  @Test
  void aPinnedSessionReadsOneShardAndWritesNothing() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    int there = router.direct(second, "SELECT order_id FROM orders").size();
    try (Connection client = router.connect("extended")) {
      rows(client, "SET pgconcord.shard = 'shard-b'");
      assertThat(rows(client, "SELECT order_id FROM orders")).hasSize(there).hasSizeBetween(1, 7);
      assertThat(rows(client, "SELECT count(*) FROM orders")).containsExactly("" + there);
      assertThatThrownBy(() -> rows(client, "DELETE FROM orders"))
          .hasMessageContaining("[session/pinned]");
      assertThatThrownBy(() -> rows(client, "INSERT INTO orders VALUES (3, 901)"))
          .hasMessageContaining("[session/pinned]");
      rows(client, "SET pgconcord.shard = 'shard-q'");
      assertThatThrownBy(() -> rows(client, "SELECT 1 FROM orders"))
          .hasMessageContaining("pgconcord.shard names no shard: \"shard-q\"");
      rows(client, "RESET pgconcord.shard");
      assertThat(rows(client, "SELECT order_id FROM orders")).hasSize(8);
    }
  }

  private static Connection withOptions(String options) throws SQLException {
    try (Connection plain = router.connect("simple")) {
      return DriverManager.getConnection(
          plain.getMetaData().getURL() + "&user=demo&options=" + options);
    }
  }
}
