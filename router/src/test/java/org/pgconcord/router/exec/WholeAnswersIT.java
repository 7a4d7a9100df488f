package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.WholeServer.answer;
import static org.pgconcord.router.exec.WholeServer.run;
import static org.pgconcord.router.exec.WholeServer.statements;

import java.io.IOException;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
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
  /** How many of the misleading statements are refused: a ceiling that only falls. */
  private static final int REFUSED = 19;

  /** How many commands and queries of the sessions are refused. */
  private static final int SESSIONS_REFUSED = 40;

  private static WholeServer server;
  private static DeclaredRouter router;

  /** All rows on one plain server. */
  private static Connection whole;

  @BeforeAll
  static void start() throws SQLException, IOException {
    server = new WholeServer();
    router = server.router;
    whole = server.whole;
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
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

  /**
   * Conditions, names and notations that a careless reader takes for others. What the router does
   * not answer it must refuse by a code of its own, and seldom. All is rolled back.
   */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void statementsMadeToMisleadAreAnsweredOrRefused(String mode) throws SQLException, IOException {
    List<String> wrong = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    List<String> attacks = WholeServer.blocks("attacks.sql");
    try (Connection client = router.connect(mode)) {
      client.setAutoCommit(false);
      whole.setAutoCommit(false);
      for (String attack : attacks) {
        String expected = answer(whole, attack);
        String found = answer(client, attack);
        whole.rollback();
        client.rollback();
        if (found.equals(expected) || bothFailed(found, expected)) {
          continue;
        }
        boolean own = found.matches("(?s)error .*\\[[a-z]+/[a-z-]+\\].*");
        (own ? refused : wrong).add(attack + "\n  server: " + expected + "\n  router: " + found);
      }
    } finally {
      whole.setAutoCommit(true);
    }
    System.out.printf(
        "suite misleading %s count=%d refused=%d%n", mode, attacks.size(), refused.size());
    if (Boolean.getBoolean("pgconcord.refusals")) {
      refused.forEach(System.out::println);
    }
    assertThat(wrong).isEmpty();
    assertThat(refused).hasSizeLessThanOrEqualTo(REFUSED);
  }

  /**
   * Sessions that change what their later statements mean, by settings, roles, search paths and
   * prepared statements, and tables with hidden, generated and dropped columns. A session ends
   * where a command of it is refused.
   */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void sessionsThatChangeWhatStatementsMeanAnswerAsOneServer(String mode)
      throws SQLException, IOException {
    prepareSessions();
    List<String> wrong = new ArrayList<>();
    int refused = 0;
    int count = 0;
    for (String session : WholeServer.blocks("sessions.sql")) {
      try (Connection client = router.connect(mode);
          Connection plain = server.another()) {
        for (String sql : session.lines().toList()) {
          count++;
          String expected = outcome(plain, sql);
          String found = outcome(client, sql);
          if (found.equals(expected) || bothFailed(found, expected)) {
            continue;
          }
          if (found.matches("(?s)error .*\\[[a-z]+/[a-z-]+\\].*")) {
            refused++;
            if (Boolean.getBoolean("pgconcord.refusals")) {
              System.out.println(sql + "\n  " + found);
            }
            if (!sql.startsWith("SELECT")) {
              break;
            }
          } else {
            wrong.add(sql + "\n  server: " + expected + "\n  router: " + found);
          }
        }
      }
    }
    router.redeclare(WholeServer.DOCUMENT);
    System.out.printf("suite sessions %s count=%d refused=%d%n", mode, count, refused);
    assertThat(wrong).isEmpty();
    assertThat(refused).isLessThanOrEqualTo(SESSIONS_REFUSED);
  }

  /** Functions, operators, casts and views of users, alike on all shards. */
  @Test
  void codeOfUsersReadsAllRowsOrIsRefused() throws SQLException, IOException {
    mayCreateSchemas();
    everywhere("functions-schema.sql");
    router.survey();
    List<String> wrong = new ArrayList<>();
    List<String> cases = WholeServer.blocks("functions.cases").get(0).lines().skip(1).toList();
    try (Connection client = router.connect("simple")) {
      for (String line : cases) {
        String query = line.substring(line.indexOf(": ") + 2);
        String expected = line.substring(0, line.indexOf(": "));
        boolean local = expected.startsWith("local ");
        run(client, "SET pgconcord.functions = " + (local ? "local" : "checked"));
        String code = expected.replace("local ", "");
        String found = answer(client, query);
        String plain = code.equals("same") ? answer(whole, query) : "";
        boolean right =
            code.equals("same") ? found.equals(plain) : found.contains("[" + code + "]");
        if (!right || plain.startsWith("error")) {
          wrong.add(line + "\n  router: " + found + "\n  server: " + plain);
        }
      }
    } finally {
      for (String undo :
          List.of(
              "DROP SCHEMA own CASCADE",
              "DROP POLICY own_some ON pages",
              "ALTER TABLE pages DISABLE ROW LEVEL SECURITY")) {
        run(whole, undo);
        for (ShardId shard : router.cluster.shards()) {
          router.direct(shard, undo);
        }
      }
      router.redeclare(WholeServer.DOCUMENT);
    }
    assertThat(wrong).isEmpty();
  }

  private static void mayCreateSchemas() throws SQLException {
    for (ShardId shard : router.cluster.shards()) {
      try (Connection admin = router.cluster.asSuperuser(shard)) {
        run(admin, "GRANT CREATE ON DATABASE app TO " + ClusterRoles.OWNER);
      }
    }
  }

  private static void everywhere(String file) throws SQLException, IOException {
    for (String ddl : statements(file)) {
      run(whole, ddl);
      for (ShardId shard : router.cluster.shards()) {
        router.direct(shard, ddl);
      }
    }
  }

  /** Once: the tables stay for all modes. */
  private static void prepareSessions() throws SQLException, IOException {
    if (!DeclaredRouter.rows(whole, "SELECT to_regclass('other.alone') IS NULL")
        .get(0)
        .equals("t")) {
      declareSessions();
      return;
    }
    mayCreateSchemas();
    everywhere("sessions-schema.sql");
    declareSessions();
  }

  /** For these sessions alone: what else is tested here knows of no other relations. */
  private static void declareSessions() throws SQLException {
    router.redeclare(
        WholeServer.DOCUMENT.replace(
            "\"pages\":", "\"made\": {\"shard_group\": \"data\"}, \"pages\":"));
    router.survey();
  }

  private static String outcome(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql)
          ? WholeServer.rows(statement.getResultSet(), sql)
          : "changed " + statement.getUpdateCount();
    } catch (SQLException e) {
      return "error " + e.getSQLState() + " " + e.getMessage();
    }
  }

  /** With the same SQLSTATE; who refuses it words it. */
  private static boolean bothFailed(String found, String expected) {
    return found.startsWith("error ")
        && expected.startsWith("error ")
        && found.substring(0, 11).equals(expected.substring(0, 11));
  }

  /**
   * Arithmetic goes where its value goes; what the server does not compute is an error here too.
   */
  @Test
  void arithmeticOverConstantsIsRoutedByItsValue() throws SQLException {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    Random random = new Random(seed);
    int routed = 0;
    int values = 0;
    try (Connection client = router.connect("simple")) {
      for (int i = 0; i < 300; i++) {
        String expression = arithmetic(random, 3);
        String value = answer(whole, "SELECT (" + expression + ")::bigint");
        String query = "SELECT id FROM accounts WHERE tenant = " + expression;
        assertThat(answer(client, query))
            .as(query + " seed " + seed)
            .isEqualTo(answer(whole, query));
        if (value.startsWith("error")) {
          continue;
        }
        values++;
        String number = value.substring(value.indexOf('[') + 1, value.indexOf(']'));
        String plan = plan(client, query);
        if (!plan.contains("scatter")) {
          routed++;
          assertThat(plan)
              .as(query + " seed " + seed)
              .isEqualTo(plan(client, "SELECT id FROM accounts WHERE tenant = " + number));
        }
      }
    }
    assertThat(routed).as("seed " + seed).isGreaterThan(values * 9 / 10);
  }

  private static String plan(Connection client, String query) throws SQLException {
    return DeclaredRouter.rows(client, "EXPLAIN (ROUTER) " + query).stream()
        .filter(line -> line.startsWith("Route:") || line.startsWith("  Shard"))
        .collect(Collectors.joining(" "));
  }

  private static String arithmetic(Random random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      String number =
          List.of("0", "1", "2", "3", "5", "7", "100", "32767", "2147483647", "3000000000")
              .get(random.nextInt(10));
      return switch (random.nextInt(6)) {
        case 0 -> "'" + number + "'::bigint";
        case 1 -> "CAST(" + number + " AS int8)";
        case 2 -> number + "::int8";
        default -> number;
      };
    }
    String inner = arithmetic(random, depth - 1);
    return switch (random.nextInt(7)) {
      case 0 -> "(" + inner + ")";
      case 1 -> "- " + inner;
      case 2 -> "+ " + inner;
      default ->
          inner
              + List.of(" + ", " - ", "*", " / ", " % ").get(random.nextInt(5))
              + arithmetic(random, depth - 1);
    };
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

  /** As text at first, in binary from the driver's fifth use of the statement on. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
  void arraysLeadToTheShardsOfTheirElements(String mode) throws SQLException {
    Integer[][] arrays = {{1}, {2, null, 3}, {}, {1, 2, 3, 4, 5, 6, 7}, {4, 4}, {null}, {-1, 99}};
    try (Connection client = router.connect(mode)) {
      for (String sql :
          List.of(
              "SELECT id FROM accounts WHERE tenant = ANY (?)",
              "SELECT id, count(*) FROM accounts WHERE id > 2 AND tenant = SOME (?) GROUP BY id",
              "SELECT a.id FROM accounts a JOIN orders o USING (tenant) WHERE o.tenant = ANY (?)")) {
        for (String type : List.of("int8", "int4", "numeric", "text")) {
          if (mode.equals("simple") && type.equals("text")) {
            continue; // the driver writes a constant without a type
          }
          for (int round = 0; round < 8; round++) {
            Integer[] array = arrays[round % arrays.length];
            String expected = ofArray(whole, sql, type, array);
            assertThat(ofArray(client, sql, type, array)).as(sql + type).isEqualTo(expected);
          }
        }
      }
    }
  }

  private static String ofArray(Connection connection, String sql, String type, Integer[] array)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setArray(1, connection.createArrayOf(type, array));
      return answer(statement, false);
    } catch (SQLException e) {
      return "error " + e.getSQLState();
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
      run(client, "DELETE FROM pages");
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

  /** What the second shard is done to, and undone. */
  private static final List<List<String>> DIFFERENCES =
      List.of(
          List.of(
              "ALTER TABLE events RENAME kind TO former; ALTER TABLE events ADD kind text;"
                  + " UPDATE events SET kind = former; ALTER TABLE events DROP former",
              ""),
          List.of(
              "ALTER TABLE events ALTER kind SET NOT NULL",
              "ALTER TABLE events ALTER kind DROP NOT NULL"),
          List.of(
              "ALTER TABLE events ALTER kind TYPE text COLLATE \"C\"",
              "ALTER TABLE events ALTER kind TYPE text COLLATE \"default\""),
          List.of(
              "ALTER TABLE events ALTER kind TYPE varchar(40)",
              "ALTER TABLE events ALTER kind TYPE text"),
          List.of(
              "ALTER TABLE events ALTER kind TYPE bytea USING kind::bytea",
              "ALTER TABLE events ALTER kind TYPE text USING convert_from(kind, 'UTF8')"),
          List.of(
              "ALTER TABLE events RENAME kind TO sort", "ALTER TABLE events RENAME sort TO kind"));

  /** Rows whose columns are not what they should be give an error that names what differs. */
  @Test
  void aShardWithAnotherDefinitionChangesNoAnswer() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    List<String> queries =
        List.of(
            "SELECT * FROM events",
            "SELECT * FROM events ORDER BY id",
            "SELECT kind FROM events",
            "SELECT kind, id FROM events ORDER BY kind, id",
            "SELECT kind, count(*) FROM events GROUP BY kind",
            "SELECT count(*), max(at) FROM events WHERE kind > 'kind 1'",
            "SELECT e.kind, f.kind FROM events e JOIN events f ON f.tenant = e.tenant AND f.id > e.id",
            "SELECT at FROM events ORDER BY at DESC LIMIT 3");
    int refused = 0;
    try (Connection client = router.connect("simple")) {
      for (List<String> difference : DIFFERENCES) {
        router.direct(second, difference.get(0));
        for (String query : queries) {
          String found = answer(client, query);
          if (found.startsWith("error")) {
            refused++;
            assertThat(found).as(difference.get(0) + " " + query).containsAnyOf("kind", "\"at\"");
          } else {
            assertThat(found).as(difference.get(0)).isEqualTo(answer(whole, query));
          }
        }
        if (!difference.get(1).isEmpty()) {
          router.direct(second, difference.get(1));
        }
      }
    }
    assertThat(refused).isBetween(10, 30);
  }

  /**
   * What would store or show one thing on one shard and another on the next, and what would not.
   */
  @Test
  void aDifferenceThatTheRouterKnowsIsNamedBeforeAnythingRuns() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    List<Difference> differences =
        List.of(
            new Difference(
                "ALTER TABLE pages RENAME body TO former; ALTER TABLE pages DROP page CASCADE;"
                    + " ALTER TABLE pages ADD page integer; ALTER TABLE pages RENAME former TO body",
                "the order of columns differs",
                List.of("INSERT INTO pages VALUES (1, 2, 'x')", "INSERT INTO pages TABLE pages"),
                List.of(
                    "INSERT INTO pages (tenant, page, body) VALUES (1, 2, 'x')",
                    "SELECT count(body) FROM pages")),
            new Difference(
                "ALTER TABLE pages ALTER body SET DEFAULT 'y'",
                "column \"body\" differs",
                List.of(
                    "INSERT INTO pages (tenant, page) VALUES (1, 3)",
                    "INSERT INTO pages VALUES (1, 3), (2, 3)",
                    "INSERT INTO pages (tenant, page, body) VALUES (1, 3, DEFAULT)",
                    "INSERT INTO pages (tenant, page) SELECT tenant, 3 FROM pages"),
                List.of(
                    "INSERT INTO pages (tenant, page, body) VALUES (1, 3, 'x')",
                    "SELECT max(body) FROM pages")),
            new Difference(
                "ALTER TABLE pages ALTER body TYPE text COLLATE \"C\"",
                "column \"body\" differs",
                List.of(
                    "SELECT max(body) FROM pages",
                    "SELECT page FROM pages ORDER BY body",
                    "SELECT * FROM pages",
                    "SELECT count(p) FROM pages p",
                    "SELECT count(*) FROM pages p NATURAL JOIN orders",
                    "SELECT x FROM pages AS p (x, y, z)",
                    "UPDATE pages SET page = 4 WHERE body > 'B'",
                    "DELETE FROM pages USING accounts a WHERE a.tenant = pages.tenant AND body > 'B'"),
                List.of(
                    "SELECT count(*), max(page * 2) FROM pages",
                    "SELECT body FROM pages WHERE tenant = 1 ORDER BY body")),
            new Difference(
                "ALTER TABLE pages ALTER page TYPE real",
                "column \"page\" differs",
                List.of("SELECT body FROM pages WHERE page = 2"),
                List.of("SELECT count(body) FROM pages")),
            new Difference(
                "ALTER TABLE pages ALTER page TYPE bigint",
                "",
                List.of(),
                List.of("SELECT body FROM pages WHERE page = 2")),
            new Difference(
                "ALTER TABLE pages ENABLE ROW LEVEL SECURITY",
                "row level security differs",
                List.of("SELECT count(*) FROM pages", "UPDATE pages SET page = 4"),
                List.of("SELECT count(*) FROM pages WHERE tenant = 1")),
            new Difference(
                "ALTER TABLE pages ALTER body SET NOT NULL",
                "",
                List.of(),
                List.of("SELECT * FROM pages", "INSERT INTO pages VALUES (1, 5, 'x')")));
    try (Connection client = router.connect("simple")) {
      for (Difference difference : differences) {
        client.setAutoCommit(true);
        router.direct(second, "CREATE TABLE kept (LIKE pages INCLUDING ALL)");
        router.direct(second, difference.change());
        router.survey();
        client.setAutoCommit(false);
        for (String sql : difference.refused()) {
          assertThat(answer(client, sql))
              .as(difference.change() + ": " + sql)
              .contains("schema/tables-differ", difference.named(), second.uid());
          client.rollback();
        }
        for (String sql : difference.served()) {
          assertThat(ran(client, sql)).as(difference.change() + ": " + sql).isEmpty();
          client.rollback();
        }
        router.direct(second, "DROP TABLE pages");
        router.direct(second, "ALTER TABLE kept RENAME TO pages");
      }
    } finally {
      router.redeclare(WholeServer.DOCUMENT);
    }
  }

  /** A change of one shard's table, and the statements that must and need not be refused for it. */
  private record Difference(
      String change, String named, List<String> refused, List<String> served) {}

  private static String ran(Connection connection, String sql) {
    try {
      run(connection, sql);
      return "";
    } catch (SQLException e) {
      return String.valueOf(e.getMessage());
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

  // --- statements that end early ----------------------------------------------------------------

  private static final List<String> FORMS =
      List.of(
          "SELECT id FROM accounts",
          "SELECT id FROM accounts ORDER BY id",
          "SELECT count(*) FROM accounts",
          "SELECT a.id FROM accounts a JOIN orders o ON a.id = o.account");

  /** One shard keeps the statement waiting; then it ends, and the others with it. */
  @ParameterizedTest
  @ValueSource(strings = {"cancel", "timeout", "terminate", "kill"})
  void whatEndsEarlyIsNoAnswerAndLeavesNothingRunning(String how) throws Exception {
    ShardId second = router.cluster.shards().get(1);
    for (String sql : how.equals("kill") ? FORMS.subList(0, 2) : FORMS) {
      try (Connection client = router.connect("extended");
          Connection holder = router.cluster.asSuperuser(second);
          Statement statement = client.createStatement()) {
        run(holder, "BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE");
        run(client, "SET statement_timeout = " + (how.equals("timeout") ? 700 : 0));
        CompletableFuture<String> found =
            CompletableFuture.supplyAsync(() -> outcome(statement, sql));
        await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> how.equals("timeout") || !router.direct(second, WAITING).isEmpty());
        end(how, statement, second);
        assertThat(found.get(60, TimeUnit.SECONDS))
            .as(how + " " + sql)
            .matches(how.equals("kill") ? "error (08|57P).*" : "error 57(014|P01)");
        if (how.equals("kill")) {
          router.cluster.shard(second).start();
          router.forget();
        } else {
          run(holder, "ROLLBACK");
        }
        for (ShardId shard : router.cluster.shards()) {
          assertThat(router.direct(shard, RUNNING)).as(how + " " + sql).isEmpty();
        }
        run(client, "RESET statement_timeout");
        assertThat(outcome(statement, "SELECT count(*) FROM accounts")).isEqualTo("[120]");
      }
    }
  }

  private static final String RUNNING =
      "SELECT pid FROM pg_stat_activity WHERE state <> 'idle' AND backend_type = 'client backend'"
          + " AND query LIKE '%accounts%' AND pid <> pg_backend_pid()";

  private static final String WAITING = RUNNING + " AND wait_event_type = 'Lock'";

  private static void end(String how, Statement statement, ShardId shard) throws SQLException {
    switch (how) {
      case "cancel" -> statement.cancel();
      case "terminate" ->
          router.direct(shard, WAITING.replace("SELECT pid", "SELECT pg_terminate_backend(pid)"));
      case "kill" -> router.cluster.shard(shard).kill();
      default -> {}
    }
  }

  private static String outcome(Statement statement, String sql) {
    try (ResultSet rows = statement.executeQuery(sql)) {
      List<String> found = new ArrayList<>();
      while (rows.next()) {
        found.add(rows.getString(1));
      }
      return found.toString();
    } catch (SQLException e) {
      return "error " + e.getSQLState();
    }
  }
}
