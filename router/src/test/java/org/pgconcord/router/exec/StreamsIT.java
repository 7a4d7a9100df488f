package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.DeclaredRouter.rows;
import static org.pgconcord.router.exec.WholeServer.answer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;

/** Rows of several shards as a stream: merged, in portions, by cursors (docs/decisions/0024). */
class StreamsIT {
  /** Merged by plain columns of every type that is compared here. */
  private static final List<String> SORTED =
      List.of(
          "SELECT * FROM accounts ORDER BY tenant DESC, id",
          "SELECT id, balance FROM accounts ORDER BY balance, id",
          "SELECT id, exact FROM accounts ORDER BY exact DESC NULLS LAST, 1 DESC",
          "SELECT id, rate FROM accounts ORDER BY rate DESC, small, id",
          "SELECT born AS day, id FROM accounts ORDER BY day NULLS FIRST, accounts.id",
          "SELECT id, seen, active FROM accounts a ORDER BY active, a.seen DESC, id",
          "SELECT id, plain FROM accounts ORDER BY plain, id",
          "SELECT id, plain FROM accounts ORDER BY plain DESC NULLS LAST, id",
          "SELECT name, id FROM accounts ORDER BY name COLLATE \"C\" DESC, id",
          "SELECT raw, id FROM accounts ORDER BY raw, tiny, id",
          "SELECT size, id FROM accounts WHERE id > 3 ORDER BY size, id",
          "SELECT id FROM events ORDER BY id",
          "SELECT a.id, o.order_id FROM accounts a JOIN orders o ON a.tenant = o.tenant AND"
              + " o.account = a.id ORDER BY o.placed, o.order_id",
          "SELECT a.id, c.title FROM accounts a LEFT JOIN countries c ON c.code = a.code"
              + " ORDER BY a.id, a.tenant",
          "SELECT id AS tenant, tenant AS id FROM accounts ORDER BY tenant, id",
          "SELECT id::text AS id, tenant FROM accounts ORDER BY id, tenant",
          "SELECT id::text FROM accounts ORDER BY id",
          "SELECT id::text FROM accounts ORDER BY id LIMIT 3",
          "SELECT tenant::text AS x, id FROM accounts ORDER BY accounts.tenant, 2",
          "SELECT -id AS id FROM accounts ORDER BY id",
          "SELECT upper(plain) FROM accounts ORDER BY upper",
          "SELECT x.* FROM accounts x ORDER BY x.id, x.tenant FOR SHARE");

  private static WholeServer server;
  private static DeclaredRouter router;
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

  // --- merged ----------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
  void sortedRowsAreThoseOfOneServer(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      for (String sql : SORTED) {
        assertThat(answer(client, sql)).as(sql).isEqualTo(answer(whole, sql));
        assertThat(inPortions(client, sql, 7)).as(sql).isEqualTo(inPortions(whole, sql, 0));
      }
      try (PreparedStatement bound =
          client.prepareStatement("SELECT id, ?::int FROM accounts WHERE id > ? ORDER BY id")) {
        for (int round = 0; round < 7; round++) {
          bound.setInt(1, round);
          bound.setInt(2, 115 + round);
          assertThat(answer(bound, true))
              .endsWith(round == 5 ? "[]" : round == 4 ? "[120|4]" : "]");
        }
      }
    }
  }

  @Test
  void copiesAndInsertsReadThemToo() throws SQLException {
    try (Connection client = router.connect("simple")) {
      var copy = client.unwrap(org.postgresql.PGConnection.class).getCopyAPI();
      var out = new java.io.StringWriter();
      copy.copyOut("COPY (SELECT id FROM accounts ORDER BY id DESC) TO STDOUT", out);
      assertThat(out.toString()).startsWith("120\n119\n118\n").hasLineCount(120);
      rows(client, "INSERT INTO pages SELECT id % 7, id + 900, 'x' FROM accounts ORDER BY id");
      assertThat(rows(client, "DELETE FROM pages WHERE page > 900 RETURNING 1")).hasSize(120);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** More than a statement may hold here: rows flow. */
  @Test
  void moreThanFitsIsMergedAsItComes() throws SQLException {
    try (Connection client = router.connect("extended")) {
      for (int tenant = 0; tenant < 7; tenant++) {
        rows(
            client,
            "INSERT INTO pages SELECT %d, i, 'x' FROM generate_series(1, 24) i".formatted(tenant));
      }
      client.setAutoCommit(false);
      String sql = "SELECT page, repeat(md5(page::text), 13000) FROM pages ORDER BY page, tenant";
      try (Statement statement = client.createStatement()) {
        statement.setFetchSize(5);
        ResultSet pages = statement.executeQuery(sql);
        int count = 0;
        while (pages.next()) {
          assertThat(pages.getInt(1)).isEqualTo(count / 7 + 1);
          assertThat(pages.getString(2)).hasSize(416_000);
          count++;
        }
        assertThat(count).isEqualTo(168);
      }
      client.commit();
      rows(client, "DELETE FROM pages");
      client.commit();
    }
  }

  @Test
  void aShardThatSortsOtherwiseIsNamed() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    String sql = "SELECT plain FROM accounts ORDER BY plain";
    router.direct(second, "ALTER TABLE accounts ALTER plain TYPE text COLLATE german");
    try (Connection client = router.connect("simple")) {
      rows(client, "BEGIN");
      rows(client, "UPDATE accounts SET plain = 'b' || id WHERE id % 2 = 0");
      rows(client, "UPDATE accounts SET plain = 'B' || id WHERE id % 2 = 1");
      assertThat(answer(client, sql))
          .startsWith("error 55000")
          .contains("exec/shards-differ", second.uid());
      rows(client, "ROLLBACK");
    } finally {
      router.direct(second, "ALTER TABLE accounts ALTER plain TYPE text COLLATE \"C\"");
    }
  }

  // --- in portions -----------------------------------------------------------------------------

  @Test
  void severalStreamsAndStatementsComeInBetweenEachOther() throws SQLException {
    try (Connection client = router.connect("extended");
        Statement plain = client.createStatement();
        Statement sorted = client.createStatement();
        Statement gathered = client.createStatement()) {
      client.setAutoCommit(false);
      plain.setFetchSize(3);
      sorted.setFetchSize(4);
      gathered.setFetchSize(5);
      ResultSet one = plain.executeQuery("SELECT id FROM accounts");
      ResultSet two = sorted.executeQuery("SELECT id FROM accounts ORDER BY id DESC");
      ResultSet three = gathered.executeQuery("SELECT id FROM accounts ORDER BY -id LIMIT 100");
      List<Integer> found = new ArrayList<>();
      for (int i = 120; i > 0; i--) {
        assertThat(one.next()).isTrue();
        found.add(one.getInt(1));
        assertThat(two.next()).isTrue();
        assertThat(two.getInt(1)).isEqualTo(i);
        if (i > 20) {
          assertThat(three.next()).isTrue();
          assertThat(three.getInt(1)).isEqualTo(i);
        }
        if (i == 90) {
          // A stream does not see what its transaction does later, as on one server.
          rows(client, "SAVEPOINT s");
          rows(client, "DELETE FROM accounts WHERE id < 60");
          assertThat(rows(client, "SELECT count(*) FROM accounts")).containsExactly("61");
        }
      }
      assertThat(one.next() || two.next() || three.next()).isFalse();
      assertThat(found).hasSize(120).doesNotHaveDuplicates();
      client.rollback();
    }
  }

  @Test
  void anErrorInALaterPortionEndsTheTransactionUpToItsSavepoint() throws SQLException {
    String sql = "SELECT 1 / (id - 100) FROM accounts";
    try (Connection client = router.connect("extended");
        Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      statement.setFetchSize(4);
      ResultSet result = statement.executeQuery(sql);
      assertThat(result.next()).isTrue();
      rows(client, "SAVEPOINT s");
      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () -> {
                while (result.next()) {
                  result.getInt(1);
                }
              });
      assertThat(error.getSQLState()).isEqualTo("22012");
      assertThat(answer(client, "SELECT count(*) FROM accounts")).startsWith("error 25P02");
      rows(client, "ROLLBACK TO s");
      assertThat(rows(client, "SELECT count(*) FROM accounts")).containsExactly("120");
      client.rollback();
    }
  }

  /** They run to their end first, and give their rows as they are asked for. */
  @Test
  void writesAndCommandsGiveTheirRowsInPortions() throws SQLException {
    try (Connection client = router.connect("extended")) {
      for (String sql :
          List.of(
              "UPDATE accounts SET small = 1 WHERE id < 30 RETURNING id",
              "UPDATE accounts SET small = 1 WHERE id < 30 AND tenant = 3 RETURNING id",
              "DELETE FROM orders WHERE order_id < 40 RETURNING order_id",
              "INSERT INTO pages SELECT id % 7, id + 900, 'x' FROM accounts ORDER BY id RETURNING page",
              "INSERT INTO pages VALUES (1, 901, 'a'), (2, 902, 'b'), (3, 903, 'c') RETURNING page",
              "INSERT INTO pages VALUES (1, 9, 'a'), (2, 9, 'b') ON CONFLICT (tenant, page)"
                  + " DO UPDATE SET body = 'c' RETURNING body",
              "UPDATE countries SET title = title || 'x' RETURNING title")) {
        for (int size : List.of(1, 2, 500)) {
          assertThat(inPortions(client, sql, size))
              .as(sql + " by " + size)
              .isEqualTo(inPortions(whole, sql, 0))
              .isNotEmpty();
        }
      }
      client.setAutoCommit(false);
      rows(client, "DECLARE c CURSOR FOR SELECT id FROM accounts ORDER BY id");
      assertThat(portions(client, "FETCH ALL c", 7)).hasSize(120).startsWith("1", "2", "3");
      String explain = "EXPLAIN (ROUTER) SELECT id FROM accounts ORDER BY id";
      assertThat(portions(client, explain, 2))
          .isEqualTo(rows(client, explain))
          .hasSizeGreaterThan(3);
      client.rollback();
    }
  }

  /** Of all portals of a session together. */
  @Test
  void whatSuspendedPortalsHoldIsBounded() throws SQLException {
    String wide = "UPDATE accounts SET small = 1 RETURNING repeat(md5(id::text), 9000)";
    try (Connection client = router.connect("extended");
        Statement one = client.createStatement();
        Statement two = client.createStatement()) {
      client.setAutoCommit(false);
      one.setFetchSize(1);
      two.setFetchSize(1);
      ResultSet first = one.executeQuery(wide);
      assertThat(first.next()).isTrue();
      SQLException error =
          catchThrowableOfType(SQLException.class, () -> two.executeQuery(wide).next());
      assertThat(error.getSQLState()).isEqualTo("54000");
      client.rollback();
      assertThat(portions(client, wide, 50)).hasSize(120);
      client.rollback();
    }
  }

  // --- cursors ---------------------------------------------------------------------------------

  /** What both are told; in each the order is known. */
  private static final List<String> CURSORS =
      List.of(
          "DECLARE early CURSOR FOR SELECT 1",
          "BEGIN",
          "DECLARE merged CURSOR FOR SELECT id, name FROM accounts ORDER BY id DESC",
          "DECLARE gathered NO SCROLL CURSOR FOR SELECT id, sum(balance) FROM accounts WHERE"
              + " id > 3 GROUP BY id ORDER BY id",
          "DECLARE \"Lone\" SCROLL CURSOR FOR SELECT id FROM accounts WHERE tenant = 3 ORDER BY id",
          "DECLARE constant INSENSITIVE CURSOR FOR SELECT 5 AS five",
          "DECLARE few CURSOR FOR SELECT id FROM accounts WHERE tenant IN (1, 4) AND id < 12"
              + " ORDER BY accounts.id",
          "FETCH merged",
          "FETCH 3 FROM merged",
          "FETCH FORWARD 2 FROM gathered",
          "FETCH LAST FROM \"Lone\"",
          "FETCH PRIOR \"Lone\"",
          "DELETE FROM accounts WHERE id < 100",
          "MOVE 90 IN merged",
          "FETCH NEXT FROM merged",
          "SAVEPOINT s",
          "DECLARE late CURSOR FOR SELECT id FROM accounts ORDER BY id",
          "FETCH late",
          "FETCH 2 FROM few",
          "ROLLBACK TO s",
          "DECLARE late CURSOR FOR SELECT count(*) FROM accounts",
          "FETCH ALL FROM late",
          "FETCH ALL few",
          "FETCH few",
          "MOVE FORWARD ALL IN gathered",
          "FETCH gathered",
          "FETCH constant",
          "CLOSE merged",
          "SAVEPOINT s",
          "FETCH merged",
          "ROLLBACK TO s",
          "DECLARE few CURSOR FOR SELECT 1",
          "ROLLBACK TO s",
          "CLOSE ALL",
          "FETCH \"Lone\"",
          "ROLLBACK",
          "FETCH few",
          "CLOSE few");

  /** Back and forth, beyond the transaction, and forward by other words. */
  private static final List<String> HELD_CURSORS =
      List.of(
          "BEGIN",
          "DECLARE s SCROLL CURSOR FOR SELECT id, name FROM accounts ORDER BY id",
          "FETCH 0 s",
          "FETCH PRIOR s",
          "FETCH LAST s",
          "FETCH PRIOR s",
          "FETCH ABSOLUTE -3 s",
          "FETCH RELATIVE 2 s",
          "FETCH RELATIVE -1 FROM s",
          "FETCH 0 s",
          "MOVE 0 s",
          "FETCH BACKWARD 5 s",
          "FETCH -2 s",
          "FETCH FORWARD -1 s",
          "FETCH BACKWARD -2 s",
          "FETCH ABSOLUTE 0 s",
          "FETCH RELATIVE 0 s",
          "FETCH s",
          "MOVE 7 s",
          "MOVE BACKWARD ALL s",
          "FETCH ALL s",
          "MOVE RELATIVE 0 s",
          "MOVE BACKWARD ALL s",
          "FETCH FORWARD ALL s",
          "FETCH BACKWARD 3 s",
          "FETCH ABSOLUTE 500 s",
          "FETCH PRIOR s",
          "FETCH RELATIVE -500 s",
          "FETCH FIRST s",
          "DELETE FROM accounts WHERE id < 5",
          "FETCH FIRST s",
          "DECLARE e SCROLL CURSOR FOR SELECT id FROM accounts WHERE id < 0",
          "FETCH LAST e",
          "FETCH PRIOR e",
          "FETCH FIRST e",
          "DECLARE f NO SCROLL CURSOR FOR SELECT id FROM accounts ORDER BY id",
          "FETCH RELATIVE 3 f",
          "MOVE RELATIVE 2 f",
          "FETCH ABSOLUTE 9 f",
          "MOVE 0 f",
          "FETCH BACKWARD -1 f",
          "FETCH ABSOLUTE 900 f",
          "FETCH 0 f",
          "FETCH ABSOLUTE 3 f",
          "ROLLBACK",
          "FETCH s",
          "BEGIN",
          "DECLARE h CURSOR WITH HOLD FOR SELECT id, sum(balance) FROM accounts GROUP BY id"
              + " ORDER BY id",
          "DECLARE l NO SCROLL CURSOR WITH HOLD FOR SELECT id FROM accounts WHERE tenant = 3"
              + " ORDER BY id",
          "DECLARE s SCROLL CURSOR FOR SELECT id FROM accounts ORDER BY id",
          "FETCH 2 h",
          "SAVEPOINT s",
          "DECLARE g CURSOR WITH HOLD FOR SELECT 1",
          "FETCH g",
          "ROLLBACK TO s",
          "COMMIT",
          "FETCH h",
          "FETCH 2 l",
          "FETCH PRIOR l",
          "FETCH g",
          "FETCH s",
          "BEGIN",
          "FETCH h",
          "SAVEPOINT t",
          "SELECT 1 / 0",
          "FETCH h",
          "ROLLBACK TO t",
          "ROLLBACK",
          "FETCH h",
          "CLOSE h",
          "FETCH h",
          "DECLARE a SCROLL CURSOR WITH HOLD FOR SELECT id FROM accounts ORDER BY id DESC",
          "DECLARE a CURSOR WITH HOLD FOR SELECT 1",
          "FETCH 3 a",
          "FETCH LAST a",
          "BEGIN",
          "DECLARE x CURSOR WITH HOLD FOR SELECT id FROM accounts ORDER BY id",
          "DECLARE a CURSOR FOR SELECT 1",
          "ROLLBACK",
          "FETCH x",
          "BEGIN",
          "DECLARE d SCROLL CURSOR FOR SELECT id FROM accounts FOR UPDATE",
          "ROLLBACK",
          "DECLARE d CURSOR WITH HOLD FOR SELECT id FROM accounts FOR UPDATE",
          "DECLARE d CURSOR WITH HOLD FOR SELECT 1 / (id - id) FROM accounts",
          "FETCH d",
          "FETCH PRIOR a",
          "CLOSE ALL",
          "FETCH a");

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void cursorsAreThoseOfOneServer(String mode) throws SQLException {
    for (List<String> session : List.of(CURSORS, HELD_CURSORS)) {
      try (Connection client = router.connect(mode);
          Connection plain = server.another()) {
        for (String sql : session) {
          assertThat(told(client, sql)).as(sql).isEqualTo(told(plain, sql));
        }
      }
    }
  }

  @Test
  void whatCursorsHoldIsBounded() throws SQLException {
    String wide = "SELECT repeat(md5(id::text), 9000) FROM accounts";
    try (Connection client = router.connect("simple")) {
      rows(client, "DECLARE a CURSOR WITH HOLD FOR " + wide);
      assertThat(told(client, "DECLARE b CURSOR WITH HOLD FOR " + wide)).isEqualTo("54000");
      assertThat(rows(client, "FETCH ALL a")).hasSize(120);
      rows(client, "CLOSE a");
      rows(client, "DECLARE b CURSOR WITH HOLD FOR " + wide);
      rows(client, "DISCARD ALL");
      assertThat(told(client, "FETCH b")).isEqualTo("34000");
    }
  }

  /** Columns and rows, the count, or the SQLSTATE. */
  private static String told(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      if (!statement.execute(sql)) {
        return String.valueOf(statement.getUpdateCount());
      }
      ResultSet result = statement.getResultSet();
      List<String> found = new ArrayList<>();
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        for (int i = 1; i <= columns; i++) {
          found.add(result.getMetaData().getColumnName(i) + "=" + result.getString(i));
        }
      }
      return columns + " " + found;
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  @Test
  void whatACursorOverShardsCannotDoIsRefused() throws SQLException {
    String all = "SELECT id FROM accounts ORDER BY id";
    try (Connection client = router.connect("simple")) {
      for (String refused :
          List.of(
              "DECLARE c BINARY CURSOR FOR " + all,
              "DECLARE c BINARY CURSOR WITH HOLD FOR " + all,
              "DECLARE c CURSOR FOR DELETE FROM accounts")) {
        rows(client, "BEGIN");
        assertThat(told(client, refused)).as(refused).isEqualTo("0A000");
        rows(client, "ROLLBACK");
      }
      for (String backward :
          List.of("FETCH BACKWARD c", "FETCH -1 c", "MOVE FIRST c", "FETCH 0 c")) {
        rows(client, "BEGIN; DECLARE c CURSOR FOR " + all + "; FETCH 2 c");
        assertThat(told(client, backward)).as(backward).isEqualTo("55000");
        rows(client, "ROLLBACK");
      }
    }
  }

  @Test
  void aCursorLocksTheRowsThatItHasGiven() throws SQLException {
    String free = "WITH f AS (SELECT 1 FROM accounts FOR SHARE SKIP LOCKED) SELECT count(*) FROM f";
    try (Connection client = router.connect("extended")) {
      rows(client, "BEGIN");
      rows(client, "DECLARE c CURSOR FOR SELECT id FROM accounts ORDER BY id FOR UPDATE");
      assertThat(rows(client, "FETCH ALL c")).hasSize(120);
      for (ShardId shard : router.cluster.shards()) {
        assertThat(router.direct(shard, free)).containsExactly("0");
      }
      rows(client, "ROLLBACK");
    }
  }

  // --- the first rows, locked ------------------------------------------------------------------

  private static final List<String> FIRST =
      List.of(
          "SELECT id, name FROM accounts ORDER BY id LIMIT 5 FOR UPDATE",
          "SELECT id FROM accounts WHERE id > 20 OR name IS NULL ORDER BY balance DESC, id"
              + " LIMIT 7 OFFSET 3 FOR NO KEY UPDATE",
          "SELECT tenant, id, plain FROM accounts a ORDER BY plain, id"
              + " FETCH FIRST 9 ROWS ONLY FOR UPDATE OF a",
          "SELECT a.id, o.order_id FROM accounts a JOIN orders o ON a.tenant = o.tenant AND"
              + " o.account = a.id ORDER BY o.placed, o.order_id LIMIT 11 FOR UPDATE OF o, a",
          "SELECT kind FROM events ORDER BY id LIMIT (3) FOR UPDATE",
          "SELECT id FROM accounts ORDER BY id LIMIT 0 OFFSET 2 FOR UPDATE",
          "SELECT id FROM accounts WHERE id < 0 ORDER BY id LIMIT 3 FOR UPDATE",
          "SELECT id FROM accounts ORDER BY id DESC OFFSET 4 ROWS LIMIT 1000 FOR KEY SHARE",
          "SELECT id FROM accounts WHERE EXISTS (SELECT 1 FROM orders o WHERE o.tenant ="
              + " accounts.tenant AND o.account = accounts.id) ORDER BY id LIMIT 3 FOR UPDATE",
          "SELECT id FROM accounts WHERE tenant IN (1, 2, 3) ORDER BY name COLLATE \"C\", id"
              + " LIMIT 6::int FOR UPDATE");

  /** The same rows, and the same rows left to others, whatever some have locked already. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void theFirstRowsAreLockedAndNoOthers(String mode) throws SQLException {
    try (Connection holder = router.connect("simple");
        Connection client = router.connect(mode);
        Connection other = router.connect("simple");
        Connection wholeHolder = server.another();
        Connection wholeClient = server.another();
        Connection wholeOther = server.another()) {
      for (String held : List.of("id % 3 = 0 AND id < 60", "id <= 110")) {
        for (Connection each : List.of(holder, wholeHolder)) {
          rows(each, "BEGIN");
          rows(each, "SELECT 1 FROM accounts WHERE " + held + " FOR UPDATE");
        }
        for (String sql : FIRST) {
          for (String way : List.of(" SKIP LOCKED", " NOWAIT")) {
            assertThat(lockedBy(client, other, sql + way))
                .as(held + ": " + sql + way)
                .isEqualTo(lockedBy(wholeClient, wholeOther, sql + way));
          }
        }
        rows(holder, "ROLLBACK");
        rows(wholeHolder, "ROLLBACK");
      }
      for (String sql : FIRST) {
        assertThat(lockedBy(client, other, sql))
            .as(sql)
            .isEqualTo(lockedBy(wholeClient, wholeOther, sql));
      }
    }
  }

  /** What it answers, and what others can lock then. */
  private static String lockedBy(Connection client, Connection other, String sql)
      throws SQLException {
    rows(client, "BEGIN");
    String answer = told(client, sql);
    String left = answer.length() == 5 ? "" : free(other).toString();
    rows(client, "ROLLBACK");
    return answer + left;
  }

  private static List<String> free(Connection other) throws SQLException {
    List<String> free =
        new ArrayList<>(rows(other, "SELECT id FROM accounts FOR UPDATE SKIP LOCKED"));
    rows(other, "SELECT order_id + 1000 FROM orders FOR UPDATE SKIP LOCKED").forEach(free::add);
    Collections.sort(free);
    return free;
  }

  @Test
  void withoutAnOrderAnyRowsAreLockedAsManyAsAreAskedFor() throws SQLException {
    try (Connection client = router.connect("extended");
        Connection other = router.connect("simple")) {
      client.setAutoCommit(false);
      for (int limit : List.of(1, 50, 500)) {
        List<String> given =
            rows(client, "SELECT id FROM accounts WHERE id < 100 LIMIT " + limit + " FOR UPDATE");
        assertThat(given).hasSize(Math.min(limit, 99)).doesNotHaveDuplicates();
        assertThat(rows(other, "SELECT id FROM accounts FOR SHARE SKIP LOCKED"))
            .hasSize(120 - given.size())
            .doesNotContainAnyElementsOf(given);
        client.rollback();
      }
    }
  }

  @Test
  void aLimitMayBeAParameterAndARowLimitBeSmaller() throws SQLException {
    String sql =
        "SELECT id, ?::text FROM accounts WHERE id > ? ORDER BY id LIMIT ? OFFSET ? FOR UPDATE";
    try (Connection client = router.connect("extended");
        PreparedStatement statement = client.prepareStatement(sql)) {
      client.setAutoCommit(false);
      statement.setFetchSize(2);
      for (int round = 0; round < 7; round++) {
        statement.setString(1, "x");
        statement.setInt(2, 10 + round);
        statement.setInt(3, 5);
        statement.setLong(4, 1);
        int first = 12 + round;
        assertThat(answer(statement, true))
            .contains("[%d|x, %d|x, %d|x".formatted(first, first + 1, first + 2));
      }
      client.commit();
      statement.setInt(3, -1);
      assertThat(catchThrowableOfType(SQLException.class, statement::executeQuery).getSQLState())
          .isEqualTo("2201W");
      client.rollback();
      statement.setNull(3, java.sql.Types.BIGINT);
      statement.setInt(2, 100);
      assertThat(answer(statement, true)).contains("[102|x, ", "120|x]");
    }
  }

  @Test
  void firstRowsThatCannotBeToldAreRefused() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (String sql :
          List.of(
              "SELECT id FROM accounts ORDER BY lower(name) LIMIT 1 FOR UPDATE",
              "SELECT id FROM accounts ORDER BY id LIMIT 1 + 1 FOR UPDATE",
              "SELECT id FROM accounts ORDER BY id OFFSET 1 FOR UPDATE",
              "SELECT id FROM accounts ORDER BY id FETCH FIRST 1 ROWS WITH TIES FOR UPDATE",
              "SELECT a.id FROM accounts a JOIN countries c ON c.code = a.code ORDER BY a.id"
                  + " LIMIT 4 FOR UPDATE OF a",
              "SELECT a.id FROM accounts a LEFT JOIN orders o ON a.tenant = o.tenant ORDER BY a.id"
                  + " LIMIT 4 FOR UPDATE OF a",
              "SELECT id FROM (SELECT id FROM accounts LIMIT 1 FOR UPDATE) t")) {
        assertThat(answer(client, sql)).as(sql).startsWith("error 0A000").contains("query/");
      }
    }
  }

  // --- failures --------------------------------------------------------------------------------

  /** In portions too: an error, and never an end. */
  @Test
  void aShardThatIsLostBetweenTwoPortionsEndsTheStream() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    for (String sql : List.of("SELECT id FROM accounts", "SELECT id FROM accounts ORDER BY id")) {
      try (Connection client = router.connect("extended");
          Statement statement = client.createStatement()) {
        client.setAutoCommit(false);
        statement.setFetchSize(3);
        ResultSet result = statement.executeQuery(sql);
        assertThat(result.next()).isTrue();
        router.direct(
            second,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                + " WHERE state = 'idle in transaction' AND pid <> pg_backend_pid()");
        SQLException error =
            catchThrowableOfType(
                SQLException.class,
                () -> {
                  while (result.next()) {
                    result.getInt(1);
                  }
                });
        assertThat((Throwable) error).as(sql).isNotNull();
        assertThat(error.getSQLState()).matches("57P01|08006");
        client.rollback();
        assertThat(rows(client, "SELECT count(*) FROM accounts")).containsExactly("120");
        client.rollback();
      }
    }
  }

  @Test
  void shardsWhoseColumnsDifferAreNamed() throws SQLException {
    ShardId second = router.cluster.shards().get(1);
    router.direct(second, "ALTER TABLE events ALTER kind TYPE varchar(40)");
    try (Connection client = router.connect("simple")) {
      String sql = "SELECT kind, id FROM events ORDER BY id";
      for (String each :
          List.of(
              sql, "DECLARE c CURSOR FOR " + sql, "DECLARE c CURSOR FOR SELECT kind FROM events")) {
        rows(client, "BEGIN");
        assertThat(answer(client, each))
            .startsWith("error 55000")
            .contains("exec/shards-differ", second.uid(), "\"kind\"");
        rows(client, "ROLLBACK");
      }
    } finally {
      router.direct(second, "ALTER TABLE events ALTER kind TYPE text");
    }
  }

  /** The rows, read {@code size} at a time; 0 for all at once. */
  private static List<String> inPortions(Connection client, String sql, int size)
      throws SQLException {
    boolean before = client.getAutoCommit();
    client.setAutoCommit(false);
    List<String> found;
    try {
      found = portions(client, sql, size);
    } finally {
      client.rollback();
      client.setAutoCommit(before);
    }
    if (!sql.contains("ORDER BY")) {
      Collections.sort(found);
    }
    return found;
  }

  private static List<String> portions(Connection client, String sql, int size)
      throws SQLException {
    List<String> found = new ArrayList<>();
    try (Statement statement = client.createStatement()) {
      statement.setFetchSize(size);
      try (ResultSet result = statement.executeQuery(sql)) {
        while (result.next()) {
          found.add(result.getString(1));
        }
      }
    }
    return found;
  }
}
