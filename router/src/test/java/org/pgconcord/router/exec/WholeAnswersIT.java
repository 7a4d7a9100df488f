package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ClusterRoles;

/**
 * Queries over tables of three shards answer as one server that holds all of their rows: the same
 * columns, types and values, in the same order where they have one.
 */
class WholeAnswersIT {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {
         "tenant": {"type": "xxhash", "columns": ["tenant"]},
         "event": {"type": "xxhash", "columns": ["id"]}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "55"},
           {"shard_uid": "shard-b", "start": "55", "end": "aa"},
           {"shard_uid": "shard-c", "start": "aa"}]},
         {"uid": "log", "default_shard_index": "event", "key_ranges": [
           {"shard_uid": "shard-c", "end": "80"},
           {"shard_uid": "shard-b", "start": "80"}]}],
       "databases": {"app": {"schemas": {"public": {
         "tables": {
           "accounts": {"shard_group": "data"},
           "orders": {"shard_group": "data"},
           "pages": {"shard_group": "data"},
           "events": {"shard_group": "log"},
           "notes": {"shard_group": "meta"}},
         "reference_tables": {"countries": {"shard_groups": ["data"]}}}}}}}
      """;

  private static DeclaredRouter router;

  /** All rows on one plain server. */
  private static Connection whole;

  @BeforeAll
  static void start() throws SQLException, IOException {
    router = new DeclaredRouter(3, DOCUMENT, statements("schema.sql"));
    ShardId first = router.cluster.shards().get(0);
    try (Connection admin = router.cluster.asSuperuser(first)) {
      run(admin, "CREATE DATABASE whole OWNER " + ClusterRoles.OWNER);
    }
    whole = router.cluster.connect(first, ClusterRoles.OWNER, "whole");
    for (String statement : statements("schema.sql")) {
      run(whole, statement);
    }
    for (String statement : statements("rows.sql")) {
      run(whole, statement);
    }
    distribute();
  }

  /** Every table's rows go through the router, so that each is where it belongs. */
  private static void distribute() throws SQLException {
    try (Connection client = router.connect("extended")) {
      for (String table : List.of("accounts", "orders", "events", "countries", "notes")) {
        for (String row : DeclaredRouter.rows(whole, literals(table))) {
          run(client, "INSERT INTO " + table + " VALUES (" + row + ")");
        }
      }
    }
  }

  /** A query for each row of the table as a list of constants. */
  private static String literals(String table) throws SQLException {
    String columns =
        String.join(
            ", ",
            DeclaredRouter.rows(
                whole,
                "SELECT 'quote_nullable(' || attname || '::text)' FROM pg_attribute WHERE attrelid"
                    + " = '"
                    + table
                    + "'::regclass AND attnum > 0 ORDER BY attnum"));
    return "SELECT concat_ws(', ', " + columns + ") FROM " + table;
  }

  @AfterAll
  static void stop() throws SQLException {
    whole.close();
    router.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void queriesOverShardsAnswerAsOneServer(String mode) throws SQLException, IOException {
    List<String> wrong = new ArrayList<>();
    List<String> queries = statements("queries.sql");
    try (Connection client = router.connect(mode)) {
      for (String query : queries) {
        String expected = answer(whole, query);
        String found = answer(client, query);
        if (!found.equals(expected)) {
          wrong.add(query + "\n  one server: " + expected + "\n  router:     " + found);
        }
      }
    }
    System.out.println("suite whole answers " + mode + " count=" + queries.size());
    assertThat(wrong).isEmpty();
  }

  @Test
  void parametersOfAnyFormatReachFetchesAndFinish() throws SQLException {
    String sql =
        "SELECT a.id, o.total, ?::int + a.id FROM accounts a JOIN orders o ON o.account = a.id"
            + " WHERE a.balance > ? AND o.total BETWEEN ? AND ? AND a.born < ? ORDER BY o.order_id"
            + " LIMIT ?";
    try (Connection client = router.connect("extendedForPrepared")) {
      for (int round = 0; round < 8; round++) {
        String expected = bound(whole, sql, round);
        assertThat(bound(client, sql, round)).isEqualTo(expected).contains("|");
      }
      try (PreparedStatement top =
          client.prepareStatement("SELECT id FROM accounts ORDER BY id LIMIT ? OFFSET ?")) {
        for (int round = 0; round < 8; round++) {
          top.setLong(1, 2);
          top.setLong(2, round);
          assertThat(answer(top, true)).endsWith("[" + (round + 1) + ", " + (round + 2) + "]");
        }
      }
    }
  }

  private static String bound(Connection connection, String sql, int round) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, round);
      statement.setBigDecimal(2, new BigDecimal("-100.5"));
      statement.setDouble(3, 1);
      statement.setDouble(4, 60 + round);
      statement.setDate(5, Date.valueOf("2020-12-01"));
      statement.setInt(6, 20);
      return answer(statement, true);
    }
  }

  @Test
  void aPortalGivesRowsInPortions() throws SQLException {
    try (Connection client = router.connect("extended");
        Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      statement.setFetchSize(7);
      try (ResultSet rows = statement.executeQuery("SELECT id FROM accounts ORDER BY id")) {
        int count = 0;
        while (rows.next()) {
          assertThat(rows.getInt(1)).isEqualTo(++count);
        }
        assertThat(count).isEqualTo(120);
      }
      client.rollback();
    }
  }

  @Test
  void aTransactionSeesItsOwnRows() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN");
      for (int tenant = 0; tenant < 7; tenant++) {
        run(client, "INSERT INTO accounts (tenant, id) VALUES (" + tenant + ", 900)");
      }
      assertThat(DeclaredRouter.rows(client, "SELECT count(*) FROM accounts"))
          .containsExactly("127");
      run(client, "ROLLBACK");
      assertThat(DeclaredRouter.rows(client, "SELECT count(*) FROM accounts"))
          .containsExactly("120");
    }
  }

  @Test
  void whatIsTooLargeToGatherEndsWithAnErrorAndTheSessionGoesOn() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (int tenant = 0; tenant < 7; tenant++) {
        run(
            client,
            "INSERT INTO pages (tenant, page, body) VALUES (%d, 1, repeat('page', 4000000))"
                .formatted(tenant));
      }
      String large = "SELECT p.page, q.page FROM pages p JOIN pages q ON p.body = q.body";
      assertThat(answer(client, large)).startsWith("error 54000").contains("query/too-large");
      assertThat(answer(client, "SELECT sum(length(body)) FROM pages")).contains("[112000000]");
    }
  }

  @Test
  void aShardWithAnotherTypeOfColumnIsNamed() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    String query = "SELECT sum(x.page) FROM pages x JOIN pages y ON x.page = y.page + 1";
    try (Connection client = router.connect("simple")) {
      assertThat(answer(client, query)).doesNotContain("error");
      router.direct(second, "ALTER TABLE pages ALTER page TYPE real");
      assertThat(answer(client, query))
          .startsWith("error 55000")
          .contains("exec/shards-differ", second.uid(), "page");
    } finally {
      router.direct(second, "ALTER TABLE pages ALTER page TYPE integer");
    }
  }

  @Test
  void anErrorOfAShardEndsTheStatementInPlainWords() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (String sql :
          List.of(
              "SELECT id / (id - 7) FROM accounts ORDER BY 1",
              "SELECT count(*) FROM accounts WHERE 1 / (id - 7) > 0",
              "SELECT nothing FROM accounts ORDER BY 1",
              "SELECT id FROM accounts ORDER BY id LIMIT -1")) {
        String expected = answer(whole, sql);
        assertThat(answer(client, sql)).isEqualTo(expected).startsWith("error");
      }
      assertThat(DeclaredRouter.rows(client, "SELECT count(*) FROM orders")).containsExactly("300");
    }
  }

  // --- answers ---------------------------------------------------------------------------------

  static String answer(Connection connection, String query) {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      return answer(statement, ordered(query));
    } catch (SQLException e) {
      return "error " + e.getSQLState() + " " + e.getMessage();
    }
  }

  static String answer(PreparedStatement statement, boolean ordered) throws SQLException {
    ResultSet rows = statement.executeQuery();
    ResultSetMetaData columns = rows.getMetaData();
    List<String> lines = new ArrayList<>();
    while (rows.next()) {
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        values.add(String.valueOf(rows.getString(i)));
      }
      lines.add(String.join("|", values));
    }
    if (!ordered) {
      Collections.sort(lines);
    }
    List<String> head = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      head.add(
          columns.getColumnLabel(i)
              + ":"
              + columns.getColumnTypeName(i)
              + "("
              + columns.getPrecision(i)
              + ")");
    }
    return String.join(",", head) + " " + lines;
  }

  private static boolean ordered(String query) {
    return query.toUpperCase(Locale.ROOT).matches("(?s).*ORDER BY [^()]*(\\([^()]*\\)[^()]*)*");
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** The statements of a file of this directory; each ends a line with its semicolon. */
  private static List<String> statements(String file) throws IOException {
    try (InputStream in = WholeAnswersIT.class.getResourceAsStream("/reads/" + file)) {
      String text = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
      String plain = text.replaceAll("(?m)^--.*\n", "");
      return Arrays.stream(plain.split(";\n"))
          .map(String::strip)
          .filter(s -> !s.isEmpty())
          .toList();
    }
  }
}
