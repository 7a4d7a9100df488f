package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;

/**
 * UPDATE and DELETE whose rows an index names. {@code tx_mode single} refuses a second shard, so
 * that a statement which passes in it has gone to one.
 */
class ExtendedRouteIT {
  private static ExtendedRig rig;
  private static long onA;
  private static long onB;
  private static long onC;

  private Connection client;

  @BeforeAll
  static void start() throws SQLException {
    rig = new ExtendedRig();
    onA = rig.tenant(0, 0);
    onB = rig.tenant(1, 0);
    onC = rig.tenant(2, 0);
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void aRowOnEachShard() throws SQLException {
    rig.empty();
    client = rig.router.connect("simple");
    for (long tenant : List.of(onA, onB, onC)) {
      run(
          client,
          "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES"
              + " (%1$d, 1, 'e%1$d', %1$d, 's', 'Oulu', 'n'), (%1$d, 2, 'f%1$d', %1$d, 't', 'Turku',"
                  .formatted(tenant)
              + " 'n')");
    }
  }

  @AfterEach
  void entriesStayTrue() throws SQLException {
    client.close();
    rig.entriesAreTrue("at the end");
  }

  @Test
  void oneShardIsAskedByAUniqueKey() throws SQLException {
    run(client, "SET pgconcord.tx_mode = single");
    for (long tenant : List.of(onA, onB, onC)) {
      String byEmail = " WHERE email = 'e%d'".formatted(tenant);
      assertThat(count("UPDATE users SET name = 'm'" + byEmail)).isEqualTo(1);
      assertThat(count("UPDATE users SET city = 'Kemi'" + byEmail + " AND city = 'Oulu'"))
          .isEqualTo(1);
      assertThat(count("UPDATE users SET city = 'Lahti'" + byEmail + " AND city = 'Oulu'"))
          .isZero();
      assertThat(
              rows(
                  client,
                  "UPDATE users u SET email = 'g' || tenant_id" + byEmail + " RETURNING u.email"))
          .containsExactly("g" + tenant);
      assertThat(count("UPDATE users SET name = 'm'" + byEmail)).isZero();
      assertThat(
              count(
                  "DELETE FROM users WHERE seat = 't' AND floor = %d OR false"
                      .formatted(tenant)
                      .replace(" OR false", "")))
          .isEqualTo(1);
      assertThat(
              rows(
                  client, "DELETE FROM users WHERE email = 'g%d' RETURNING name".formatted(tenant)))
          .containsExactly("m");
    }
    assertThat(rig.everywhere("SELECT 1 FROM users")).isEmpty();
  }

  @Test
  void parametersAndFormats() throws SQLException {
    for (String mode : List.of("extended", "extendedForPrepared")) {
      try (Connection other = rig.router.connect(mode);
          PreparedStatement update =
              other.prepareStatement(
                  "UPDATE users SET email = email || ?, floor = floor + 100 WHERE email = ?"
                      + " RETURNING tenant_id, email")) {
        String email = "e" + onC;
        for (int round = 0; round < 7; round++) {
          update.setString(1, "x");
          update.setString(2, email);
          email += "x";
          try (ResultSet result = update.executeQuery()) {
            assertThat(result.next()).isTrue();
            assertThat(result.getLong(1)).isEqualTo(onC);
            assertThat(result.getString(2)).isEqualTo(email);
            assertThat(result.next()).isFalse();
          }
        }
        update.setString(2, null);
        try (ResultSet result = update.executeQuery()) {
          assertThat(result.next()).isFalse();
        }
        update.setString(2, "nobody");
        try (ResultSet result = update.executeQuery()) {
          assertThat(result.next()).isFalse();
        }
        run(
            other,
            "UPDATE users SET email = 'e%1$d' WHERE tenant_id = %1$d AND user_id = 1"
                .formatted(onC));
      }
    }
  }

  @Test
  void theTransactionsOwnRowsAreFound() throws SQLException {
    run(client, "BEGIN");
    run(
        client,
        "INSERT INTO users (tenant_id, user_id, email, city) VALUES (%d, 9, 'own', 'Oulu')"
            .formatted(onB));
    assertThat(count("UPDATE users SET name = 'mine' WHERE email = 'own'")).isEqualTo(1);
    assertThat(count("UPDATE users SET email = 'own2' WHERE email = 'own'")).isEqualTo(1);
    assertThat(count("UPDATE users SET name = 'm' WHERE email = 'own'")).isZero();
    assertThat(count("DELETE FROM users WHERE email = 'e%d'".formatted(onA))).isEqualTo(1);
    assertThat(count("DELETE FROM users WHERE email = 'e%d'".formatted(onA))).isZero();
    assertThat(count("UPDATE users SET name = 'all' WHERE city = 'Oulu'")).isEqualTo(3);
    run(client, "SAVEPOINT s");
    assertThat(count("DELETE FROM users WHERE email = 'own2'")).isEqualTo(1);
    run(client, "ROLLBACK TO s");
    assertThat(count("DELETE FROM users WHERE email = 'own2'")).isEqualTo(1);
    run(client, "COMMIT");
  }

  @Test
  void anIndexThatIsNotUniqueNamesSeveralShards() throws SQLException {
    run(client, "UPDATE users SET city = 'Vaasa' WHERE tenant_id = " + onB);
    assertThat(
            rows(
                client,
                "UPDATE users SET city = 'Raahe', name = 'r' WHERE city = 'Oulu' RETURNING email"))
        .containsExactlyInAnyOrder("e" + onA, "e" + onC);
    run(client, "SET pgconcord.tx_mode = single");
    assertThat(count("DELETE FROM users WHERE city = 'Vaasa' AND name = 'n'")).isEqualTo(2);
    assertThat(count("DELETE FROM users WHERE loud = 'R' AND city = 'Oulu'")).isZero();
    SQLException two = failure("DELETE FROM users WHERE city = 'Raahe'");
    assertThat(two.getMessage()).contains("tx/second-shard");
  }

  @Test
  void allShardsAreAskedWhereTheIndexIsNotRead() throws SQLException {
    rig.router.publish(GsiState.WRITE_ONLY);
    try {
      assertThat(count("UPDATE users SET email = 'w' WHERE email = 'e%d'".formatted(onB)))
          .isEqualTo(1);
      assertThat(rig.router.violations()).isEmpty();
      run(client, "SET pgconcord.tx_mode = single");
      assertThat(failure("UPDATE users SET name = 'w' WHERE email = 'w'").getMessage())
          .contains("tx/second-shard");
      run(client, "SET pgconcord.tx_mode = multi");
    } finally {
      rig.router.publish(GsiState.ENABLED);
    }
    run(client, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    assertThat(count("DELETE FROM users WHERE email = 'w'")).isEqualTo(1);
    run(client, "COMMIT");
    assertThat(rows(client, "EXPLAIN (ROUTER) DELETE FROM users WHERE email = 'x'"))
        .contains("Route: DELETE by index lookup, then one shard")
        .anyMatch(line -> line.contains("shard keys found"));
  }

  @Test
  void surplusIsNoRow() throws SQLException {
    try (Connection service = rig.router.cluster.asService(rig.shards.get(0))) {
      rows(service, "INSERT INTO users_by_email VALUES ('surplus', %d, 5)".formatted(onB));
      assertThat(count("UPDATE users SET name = 's' WHERE email = 'surplus'")).isZero();
      assertThat(count("DELETE FROM users WHERE email = 'surplus'")).isZero();
      rows(service, "DELETE FROM users_by_email WHERE email = 'surplus'");
    }
  }

  /** The statement waits for the row, which goes away; its new place is in the entry by then. */
  @Test
  void aRowThatMovesToAnotherShardIsFollowed() throws Exception {
    String email = "e" + onB;
    for (String sql :
        List.of(
            "UPDATE users SET name = 'followed' WHERE email = '%s' RETURNING tenant_id",
            "UPDATE users SET email = email || '!' WHERE email = '%s' RETURNING tenant_id",
            "DELETE FROM users WHERE email = '%s' RETURNING tenant_id")) {
      long to = sql.contains("!") ? onB : onC;
      long from = to == onB ? onC : onB;
      if (sql.contains("DELETE")) {
        email = email + "!";
      }
      try (Connection mover = rig.router.connect("simple")) {
        run(mover, "BEGIN");
        run(mover, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + from);
        run(mover, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + to);
        run(
            mover,
            "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, '%s')"
                .formatted(to, email));
        String statement = sql.formatted(email);
        CompletableFuture<List<String>> waiting =
            CompletableFuture.supplyAsync(() -> rowsOf(statement));
        awaitAWaiterFor("users");
        run(mover, "COMMIT");
        assertThat(waiting.get()).as(statement).containsExactly(Long.toString(to));
      }
      rig.entriesAreTrue(sql);
    }
  }

  /** A condition that the row does not meet where it has gone is asked of it there, once. */
  @Test
  void aRowThatMovesAndFitsNoMoreIsLeftAlone() throws Exception {
    for (String keys : List.of("email = 'e%d'", "email IN ('e%d', 'nobody')")) {
      for (String sql :
          List.of(
              "UPDATE users SET name = 'followed' WHERE %s AND name = 'n' RETURNING tenant_id",
              "UPDATE users SET email = 'followed' WHERE %s AND name = 'n' RETURNING tenant_id",
              "DELETE FROM users WHERE %s AND name = 'n' RETURNING tenant_id")) {
        String statement = sql.formatted(keys.formatted(onB));
        assertThat(whileMoving("e" + onB, onC, statement)).as(statement).isEmpty();
        rig.entriesAreTrue(sql);
        run(client, "UPDATE users SET name = 'n'");
        whileMoving(
            "e" + onB, onB, "UPDATE users SET city = 'x' WHERE email = 'e%d'".formatted(onB));
        run(client, "UPDATE users SET name = 'n'");
      }
    }
  }

  @Test
  void aListOfKeysNamesTheirShards() throws SQLException {
    run(client, "SET pgconcord.tx_mode = single");
    String inB = "email IN ('e%1$d', 'f%1$d', 'nobody', NULL)".formatted(onB);
    assertThat(count("UPDATE users SET name = 'm' WHERE " + inB)).isEqualTo(2);
    assertThat(
            rows(
                client,
                "UPDATE users SET city = 'Kemi', floor = 100 + user_id WHERE %s AND user_id = 2 RETURNING email"
                    .formatted(inB)))
        .containsExactly("f" + onB);
    assertThat(count("DELETE FROM users WHERE (floor, seat) IN ((102, 't'), (7000, 's'))"))
        .isEqualTo(1);
    assertThat(count("DELETE FROM users WHERE city = ANY ('{Kemi,Nowhere}')")).isZero();
    assertThat(count("UPDATE users SET name = 'z' WHERE email IN ('no', 'body')")).isZero();
    SQLException two =
        failure("DELETE FROM users WHERE email = 'e%d' OR email = 'e%d'".formatted(onA, onC));
    assertThat(two.getMessage()).contains("tx/second-shard");
    run(client, "SET pgconcord.tx_mode = multi");
    assertThat(
            rows(
                client,
                "UPDATE users u SET name = name || '!' WHERE u.email = 'e%d' OR (email = 'e%d' AND city = 'Oulu') RETURNING u.name, tenant_id"
                    .formatted(onA, onC)))
        .hasSize(2);
    run(client, "SET pgconcord.fanout = single");
    assertThat(
            failure("DELETE FROM users WHERE email IN ('e%d', 'e%d')".formatted(onA, onC))
                .getMessage())
        .contains("query/fan-out");
    run(client, "RESET pgconcord.fanout");
    assertThat(
            count(
                "DELETE FROM users WHERE email IN ('e%d', 'e%d', 'f%d')".formatted(onA, onC, onA)))
        .isEqualTo(3);
    assertThat(rows(client, "EXPLAIN (ROUTER) DELETE FROM users WHERE email IN ('x', 'y')"))
        .contains("Route: DELETE by index lookup, then the shards that it names");
  }

  /** The index must be the target's own, and the other tables' rows on the shard of its row. */
  @Test
  void joinsAreLedByTheTargetsKey() throws Exception {
    for (long tenant : List.of(onA, onB, onC)) {
      run(
          client,
          "INSERT INTO orders VALUES (%1$d, 1, 'o%1$d'), (%1$d, 8, 'n%1$d')".formatted(tenant));
    }
    String join = " o.tenant_id = u.tenant_id AND o.order_id = u.user_id AND u.email";
    run(client, "SET pgconcord.tx_mode = single");
    assertThat(
            rows(
                client,
                "UPDATE users u SET city = o.label, name = c.code FROM orders o, countries c WHERE c.code = 'FI' AND%s = 'e%d' RETURNING u.city"
                    .formatted(join, onB)))
        .containsExactly("o" + onB);
    assertThat(
            count(
                "UPDATE users u SET email = u.email || o.label FROM orders o WHERE%s IN ('e%d', 'f%d')"
                    .formatted(join, onC, onC)))
        .isEqualTo(1);
    assertThat(
            failure("UPDATE orders o SET label = 'x' FROM users u WHERE" + join + " = 'e'")
                .getMessage())
        .contains("tx/second-shard");
    run(client, "SET pgconcord.tx_mode = multi");
    String delete =
        "DELETE FROM users u USING orders o WHERE%s IN ('e%d', 'e%d') RETURNING o.label"
            .formatted(join, onA, onB);
    assertThat(whileMoving("e" + onB, onC, delete)).containsExactlyInAnyOrder("o" + onA, "n" + onC);
  }

  @Test
  void listsOfParametersAndOfTheTransactionsOwnRows() throws SQLException {
    for (String mode : List.of("extended", "extendedForPrepared")) {
      try (Connection other = rig.router.connect(mode)) {
        other.setAutoCommit(false);
        run(
            other,
            "INSERT INTO users (tenant_id, user_id, email, city) VALUES (%d, 9, 'own', 'Oulu')"
                .formatted(onB));
        try (PreparedStatement update =
            other.prepareStatement(
                "UPDATE users SET name = ? WHERE email = ANY (?) RETURNING email")) {
          for (int round = 0; round < 7; round++) {
            update.setString(1, "r" + round);
            update.setArray(
                2, other.createArrayOf("text", new String[] {"own", "e" + onA, null, "f" + onC}));
            try (ResultSet result = update.executeQuery()) {
              int found = 0;
              while (result.next()) {
                found++;
              }
              assertThat(found).isEqualTo(3);
            }
          }
        }
        run(other, "UPDATE users SET email = 'own2' WHERE email IN ('own', 'nobody')");
        run(other, "DELETE FROM users WHERE email IN ('own2', 'f%d')".formatted(onA));
        assertThat(
                rows(
                    other,
                    "DELETE FROM users WHERE email IN ('own', 'own2', 'f%d') RETURNING 1"
                        .formatted(onA)))
            .isEmpty();
        assertThat(
                rows(other, "UPDATE users SET name = 'x' WHERE city IN ('Oulu', 'x') RETURNING 1"))
            .hasSize(3);
        other.rollback();
      }
    }
  }

  /** Of several rows, one moves while it is waited for: it is found, and none is changed twice. */
  @Test
  void oneRowOfSeveralThatMovesIsFollowed() throws Exception {
    List<Long> places = List.of(onC, rig.tenant(1, 1), onA, onC);
    int moves = 0;
    for (String sql :
        List.of(
            "UPDATE users SET name = name || '+' WHERE email IN ('e%1$d', 'e%2$d', 'f%2$d', 'gone') RETURNING name",
            "UPDATE users SET name = name || '+' WHERE email IN ('e%1$d', 'e%2$d', 'f%2$d', 'gone') RETURNING name",
            "UPDATE users SET name = name || '+', email = 'x' || email WHERE email = 'e%1$d' OR email IN ('e%2$d', 'f%2$d') RETURNING name",
            "DELETE FROM users WHERE email = ANY ('{xe%1$d,xe%2$d,xf%2$d}') RETURNING name || '+'")) {
      String email = (sql.startsWith("DELETE") ? "xe" : "e") + onB;
      String statement = sql.formatted(onB, onC);
      assertThat(whileMoving(email, places.get(moves++), statement))
          .as(statement)
          .containsExactlyInAnyOrder("moved+", "n+", "n+");
      rig.entriesAreTrue(sql);
      run(client, "UPDATE users SET name = 'n'");
    }
  }

  @Test
  void everyRowIsFoundWhileRowsMove() throws Exception {
    findsAllWhileRowsMove(6);
  }

  @Test
  @Tag("long")
  void everyRowIsFoundWhileRowsMoveForLonger() throws Exception {
    findsAllWhileRowsMove(300);
  }

  /** Keys that are always there, under one tenant or another, are all found by each statement. */
  private void findsAllWhileRowsMove(int rounds) throws Exception {
    List<String> keys = rows(client, "SELECT email FROM users").stream().sorted().toList();
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Integer> moves =
        CompletableFuture.supplyAsync(() -> moveUntil(over, List.of(onA, onB, onC)));
    int found = 0;
    try {
      found = changeAll(keys, rounds);
    } finally {
      over.set(true);
      System.out.println("rows moved " + moves.get() + " times beside " + found + " statements");
    }
    assertThat(found).isPositive();
  }

  private int changeAll(List<String> keys, int rounds) throws SQLException {
    String list = " WHERE email IN ('%s') RETURNING email".formatted(String.join("', '", keys));
    int found = 0;
    for (int round = 0; round < rounds; round++) {
      for (String sql :
          List.of("UPDATE users SET city = 'c%d'".formatted(round), "DELETE FROM users")) {
        run(client, "BEGIN");
        try {
          List<String> all = rows(client, sql + list);
          run(client, sql.startsWith("UPDATE") ? "COMMIT" : "ROLLBACK");
          assertThat(all).as(sql).containsExactlyInAnyOrderElementsOf(keys);
          found++;
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isIn("40P01", "55P03");
          run(client, "ROLLBACK");
        }
      }
    }
    return found;
  }

  private static int moveUntil(AtomicBoolean over, List<Long> tenants) {
    int moves = 0;
    try (Connection mover = rig.router.connect("simple")) {
      int[] places = {0, 1, 2};
      for (int round = 0; !over.get(); round++) {
        int row = round % 3;
        String email = "e" + tenants.get(row);
        int to = (places[row] + 1) % 3;
        try {
          run(mover, "BEGIN");
          run(mover, "DELETE FROM users WHERE email = '%s'".formatted(email));
          run(
              mover,
              "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, %d, '%s', 'n')"
                  .formatted(tenants.get(to), 100 + round, email));
          run(mover, "COMMIT");
          places[row] = to;
          moves++;
        } catch (SQLException e) {
          run(mover, "ROLLBACK");
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return moves;
  }

  /** What the statement returns that waits for the row while that moves to another tenant. */
  private List<String> whileMoving(String email, long to, String statement) throws Exception {
    String from =
        rows(client, "SELECT tenant_id FROM users WHERE email = '%s'".formatted(email)).get(0);
    try (Connection mover = rig.router.connect("simple")) {
      run(mover, "BEGIN");
      run(mover, "DELETE FROM users WHERE email = '%s' AND tenant_id = %s".formatted(email, from));
      run(
          mover,
          "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 8, '%s', 'moved')"
              .formatted(to, email));
      CompletableFuture<List<String>> waiting =
          CompletableFuture.supplyAsync(() -> rowsOf(statement));
      awaitAWaiterFor("users");
      run(mover, "COMMIT");
      return waiting.get();
    }
  }

  private static void awaitAWaiterFor(String table) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                !rig.everywhere(
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE"
                            + " '%"
                            + table
                            + "%' AND pid <> pg_backend_pid()")
                    .isEmpty());
  }

  private static List<String> rowsOf(String sql) {
    try (Connection other = rig.router.connect("simple")) {
      return rows(other, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private int count(String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private SQLException failure(String sql) {
    return catchThrowableOfType(SQLException.class, () -> run(client, sql));
  }
}
