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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** CTEs that change rows of which there are entries (docs/decisions/0019). */
class ExtendedCtesIT {
  private static ExtendedRig rig;

  /** One whose entries are on its own shard, and one whose entries are elsewhere. */
  private static List<Long> tenants;

  @BeforeAll
  static void start() throws SQLException {
    rig = new ExtendedRig();
    tenants = List.of(rig.tenant(0, 0), rig.tenant(1, 0));
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void someRows() throws SQLException {
    rig.empty();
    try (Connection client = rig.router.connect("simple")) {
      for (long tenant : tenants) {
        rows(client, rowsOf(tenant));
      }
    }
  }

  @AfterEach
  void entriesStayTrue() throws SQLException {
    rig.entriesAreTrue("at the end");
  }

  private static String rowsOf(long tenant) {
    StringBuilder sql =
        new StringBuilder(
            "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES ");
    for (int user = 1; user <= 4; user++) {
      sql.append(user == 1 ? "" : ", ")
          .append(
              "(%1$d, %2$d, 'e%1$d-%2$d', %1$d, 's%2$d', 'Oulu', 'n%2$d')".formatted(tenant, user));
    }
    return sql.toString();
  }

  private static final List<String> STATEMENTS =
      List.of(
          "WITH gone AS (DELETE FROM users WHERE tenant_id = :t AND user_id < 3 RETURNING *) INSERT INTO orders SELECT tenant_id, user_id, email FROM gone RETURNING label",
          "WITH back AS (DELETE FROM orders WHERE tenant_id = :t AND order_id = 1 RETURNING *) INSERT INTO users (tenant_id, user_id, email) SELECT tenant_id, order_id, label FROM back RETURNING email",
          "WITH moved AS (UPDATE users AS u SET email = 'm' || u.email, city = NULL, seat = seat || 'x' WHERE u.tenant_id = :t AND u.user_id > 2 RETURNING u.user_id, u.email) SELECT m.email, users.email FROM moved m JOIN users ON users.tenant_id = :t AND users.user_id = m.user_id",
          "WITH new AS (INSERT INTO users VALUES (:t, '21', 'new :t', 1, 'new :t'), (:t, -22, 'newer :t', NULL, 'x') RETURNING *) SELECT user_id, email, city, (SELECT count(*) FROM users WHERE tenant_id = :t) FROM new",
          "WITH new AS (INSERT INTO users (email, user_id, tenant_id) VALUES ('o :t', 31, :t)) INSERT INTO orders (tenant_id, order_id, label) VALUES (:t, 31, 'o')",
          "WITH low AS NOT MATERIALIZED (SELECT min(user_id) AS id FROM users WHERE tenant_id = :t), old (k, e) AS (DELETE FROM users USING orders o WHERE users.tenant_id = :t AND o.tenant_id = users.tenant_id AND o.order_id = users.user_id AND users.user_id > (SELECT id FROM low) RETURNING user_id, email || o.label) SELECT k, e FROM old",
          "WITH a AS (UPDATE users SET email = 'a' || email WHERE tenant_id = :t AND user_id = 3 RETURNING 1), b AS (DELETE FROM users WHERE tenant_id = :t AND user_id = -22), c AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 41, 'c :t') RETURNING email) UPDATE users SET city = 'Inari', seat = (SELECT email FROM c) WHERE tenant_id = :t AND user_id = 4 RETURNING email, seat",
          "WITH swapped AS (UPDATE users SET email = CASE user_id WHEN 3 THEN (SELECT email FROM users WHERE tenant_id = :t AND user_id = 4) ELSE (SELECT email FROM users WHERE tenant_id = :t AND user_id = 3) END WHERE tenant_id = :t AND user_id IN (3, 4) RETURNING user_id, email) SELECT * FROM swapped",
          "WITH gone AS (DELETE FROM users WHERE tenant_id = :t AND user_id = 3 RETURNING *) INSERT INTO users (tenant_id, user_id, email, city) SELECT tenant_id, user_id + 50, email, 'x' FROM gone",
          "WITH none AS (UPDATE users SET email = 'none' WHERE tenant_id = :t AND user_id = 77 RETURNING 1) SELECT count(*) FROM none",
          "WITH new AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 61, 'g :t') ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING email) SELECT 'new', email FROM new UNION ALL SELECT 'old', email FROM users WHERE tenant_id = :t AND user_id = 61",
          "WITH new AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 61, 'h :t') ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING email) SELECT 'new', email FROM new UNION ALL SELECT 'old', email FROM users WHERE tenant_id = :t AND user_id = 61",
          "WITH new AS (INSERT INTO users AS u (tenant_id, user_id, email, floor) VALUES (:t, 61, 'i :t', 0), (:t, 62, 'j :t', 900 + :t), (:t, '+63', 'k :t', NULL) ON CONFLICT ON CONSTRAINT users_pkey DO NOTHING RETURNING *) INSERT INTO orders SELECT tenant_id, user_id, email FROM new RETURNING label",
          "WITH n AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 65, 'l :t'), (:t, 65, 'm :t') ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING email), d AS (DELETE FROM users WHERE tenant_id = :t AND user_id = 63 RETURNING 1) UPDATE users SET email = 'u' || email WHERE tenant_id = :t AND user_id = 62 RETURNING email",
          "WITH up AS (INSERT INTO users AS u (tenant_id, user_id, email, city) VALUES (:t, 61, 'n :t', 'A'), (:t, 66, 'o :t', 'B') ON CONFLICT (user_id, tenant_id) DO UPDATE SET email = EXCLUDED.email || u.user_id, city = NULL RETURNING user_id, email, city) SELECT * FROM up",
          "WITH up AS (INSERT INTO users AS u (tenant_id, user_id, email) VALUES (:t, 61, 'p :t'), (:t, 66, 'q :t') ON CONFLICT (user_id, tenant_id) DO UPDATE SET email = EXCLUDED.email, name = 'up' WHERE u.user_id > 61 OR u.city = 'x' RETURNING u.email, u.loud) INSERT INTO orders SELECT :t, 500, email || loud FROM up RETURNING label",
          "WITH one AS (SELECT 'r :t' AS email) INSERT INTO users AS u (tenant_id, user_id, email) VALUES (:t, 66, (SELECT email FROM one)), (:t, 67, 's :t') ON CONFLICT (user_id, tenant_id) DO UPDATE SET email = (SELECT email || '!' FROM one), city = EXCLUDED.city RETURNING u.*",
          "WITH x AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 68, 't :t') RETURNING user_id) INSERT INTO orders AS o VALUES (:t, 500, 'twice') ON CONFLICT (tenant_id, order_id) DO UPDATE SET label = (SELECT CAST(user_id AS text) FROM x) RETURNING o.*",
          "WITH gone AS (DELETE FROM users WHERE tenant_id = :t) SELECT count(*) FROM users WHERE tenant_id = :t");

  @Test
  void theyRunAsOnOneServer() throws SQLException {
    try (Connection plain = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      rows(plain, "CREATE TEMP TABLE users " + ExtendedRig.USERS);
      rows(
          plain,
          "CREATE TEMP TABLE orders (tenant_id bigint, order_id bigint, label text, PRIMARY KEY"
              + " (tenant_id, order_id))");
      for (String mode : List.of("simple", "extended")) {
        someRows();
        rows(plain, "TRUNCATE users, orders");
        for (long tenant : tenants) {
          rows(plain, rowsOf(tenant));
        }
        try (Connection client = rig.router.connect(mode)) {
          for (String template : STATEMENTS) {
            for (long tenant : tenants) {
              String sql = template.replace(":t", Long.toString(tenant));
              assertThat(sorted(client, sql)).as(sql).isEqualTo(sorted(plain, sql));
            }
            if (mode.equals("simple")) {
              tablesAreAlike(plain, template);
            }
          }
        }
        tablesAreAlike(plain, mode);
      }
    }
  }

  private static void tablesAreAlike(Connection plain, String what) throws SQLException {
    for (String table : List.of("users", "orders")) {
      String all = "SELECT x::text FROM %s x".formatted(table);
      assertThat(rig.everywhere(all.replace("FROM ", "FROM public.")))
          .as(what)
          .containsExactlyInAnyOrderElementsOf(rows(plain, all));
    }
    rig.entriesAreTrue(what);
  }

  @Test
  void parametersFormatsAndSavepoints() throws SQLException {
    long tenant = tenants.get(1);
    String sql =
        "WITH moved AS (UPDATE users SET email = ? || user_id, floor = ? WHERE tenant_id = ? AND user_id < ? RETURNING user_id, floor), made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (?, ?, ?) RETURNING user_id) SELECT user_id, floor, 1.5 FROM moved UNION ALL SELECT user_id, NULL, 2 FROM made";
    for (String mode : List.of("extended", "extendedForPrepared")) {
      try (Connection client = rig.router.connect(mode);
          PreparedStatement statement = client.prepareStatement(sql)) {
        client.setAutoCommit(false);
        for (int round = 0; round < 7; round++) {
          rows(client, "SAVEPOINT s");
          statement.setString(1, mode + round + "-");
          statement.setInt(2, 900 + round);
          statement.setLong(3, tenant);
          statement.setInt(4, 3);
          statement.setLong(5, tenant);
          statement.setInt(6, 100 + round);
          statement.setString(7, mode + round);
          int found = 0;
          try (ResultSet result = statement.executeQuery()) {
            while (result.next()) {
              found++;
              assertThat(result.getInt(2)).isIn(900 + round, 0);
            }
          }
          assertThat(found).isEqualTo(3);
          rows(client, round % 2 == 0 ? "ROLLBACK TO s" : "RELEASE s");
        }
        client.commit();
        assertThat(
                rows(
                    client,
                    "SELECT email FROM users WHERE user_id IN (1, 2, 100, 105) AND tenant_id = "
                        + tenant))
            .containsExactlyInAnyOrder(mode + "5-1", mode + "5-2", mode + "5");
        rows(client, "DELETE FROM users WHERE user_id > 99");
        client.commit();
        rig.entriesAreTrue(mode);
      }
    }
  }

  /** An error within, and a key that is taken elsewhere, leave nothing of the statement. */
  @Test
  void nothingIsLeftOfAStatementThatFails() throws SQLException {
    long tenant = tenants.get(1);
    String taken = "e%d-1".formatted(tenants.get(0));
    try (Connection client = rig.router.connect("simple")) {
      for (String sql :
          List.of(
              "WITH gone AS (DELETE FROM users WHERE tenant_id = :t AND user_id = 1), made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 50, ':e') RETURNING 1) SELECT * FROM made",
              "WITH moved AS (UPDATE users SET email = ':e' WHERE tenant_id = :t AND user_id = 1 RETURNING *) INSERT INTO orders SELECT tenant_id, user_id, email FROM moved",
              "WITH moved AS (UPDATE users SET email = 'twice' WHERE tenant_id = :t RETURNING *) SELECT count(*) FROM moved",
              "WITH made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 1, 'pk') RETURNING *) SELECT count(*) FROM made")) {
        String statement = sql.replace(":t", Long.toString(tenant)).replace(":e", taken);
        assertThat(failure(client, statement).getSQLState()).as(statement).isEqualTo("23505");
        rows(client, "BEGIN");
        rows(client, "UPDATE users SET email = 'kept' WHERE user_id = 2 AND tenant_id = " + tenant);
        rows(client, "SAVEPOINT s");
        assertThat(failure(client, statement).getSQLState()).as(statement).isEqualTo("23505");
        rows(client, "ROLLBACK TO s");
        rows(
            client, "UPDATE users SET email = 'kept2' WHERE user_id = 2 AND tenant_id = " + tenant);
        rows(client, "COMMIT");
        assertThat(rig.everywhere("SELECT 1 FROM public.users")).hasSize(8);
        assertThat(rig.everywhere("SELECT 1 FROM public.orders")).isEmpty();
        rig.entriesAreTrue(statement);
      }
    }
  }

  @Test
  void triggersAreFollowedOrTheStatementFails() throws SQLException {
    long tenant = tenants.get(1);
    rig.everywhere(
        "CREATE FUNCTION meddler() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'DELETE'"
            + " THEN IF OLD.user_id = 1 THEN RETURN NULL; END IF; RETURN OLD; END IF; IF"
            + " NEW.user_id = 2 THEN RETURN NULL; END IF; IF NEW.name = 'pk' THEN NEW.user_id ="
            + " NEW.user_id + 10; END IF; NEW.city = 'by trigger'; RETURN NEW; END $$");
    rig.everywhere(
        "CREATE TRIGGER meddler BEFORE INSERT OR UPDATE OR DELETE ON users FOR EACH ROW EXECUTE"
            + " FUNCTION meddler()");
    try (Connection client = rig.router.connect("simple")) {
      String mine = " WHERE tenant_id = " + tenant;
      assertThat(
              rows(
                  client,
                  "WITH moved AS (UPDATE users SET email = 't' || email%s RETURNING user_id) SELECT * FROM moved"
                      .formatted(mine)))
          .containsExactlyInAnyOrder("1", "3", "4");
      assertThat(
              rows(
                  client,
                  "WITH gone AS (DELETE FROM users%s AND user_id < 4 RETURNING user_id) SELECT * FROM gone"
                      .formatted(mine)))
          .containsExactlyInAnyOrder("2", "3");
      rig.entriesAreTrue("with triggers");
      for (String sql :
          List.of(
              "WITH moved AS (UPDATE users SET city = 'x', name = 'pk'%s RETURNING user_id) SELECT * FROM moved"
                  .formatted(mine),
              "WITH made AS (INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 61, 'made', 'pk') RETURNING 1) SELECT * FROM made"
                  .formatted(tenant),
              "WITH made AS (INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 61, 'made', 'pk') ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING 1) SELECT * FROM made"
                  .formatted(tenant),
              "WITH made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'made') ON CONFLICT (tenant_id, user_id) DO UPDATE SET name = 'pk' RETURNING 1) SELECT * FROM made"
                  .formatted(tenant),
              "WITH made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 2, 'made') RETURNING 1) SELECT * FROM made"
                  .formatted(tenant))) {
        assertThat(failure(client, sql).getMessage()).as(sql).contains("write/cte");
        rig.entriesAreTrue(sql);
      }
      assertThat(rig.everywhere("SELECT 1 FROM public.users")).hasSize(6);
    } finally {
      rig.everywhere("DROP FUNCTION meddler CASCADE");
    }
  }

  /** What nobody could say the rows of is refused by name. */
  @Test
  void theOthersAreRefused() throws SQLException {
    String mine = " WHERE tenant_id = " + tenants.get(1);
    for (String sql :
        List.of(
            "WITH a AS (DELETE FROM orders:m RETURNING *), b AS (INSERT INTO users (tenant_id, user_id, email) SELECT tenant_id, order_id, label FROM a RETURNING 1) SELECT * FROM b",
            "WITH a AS (UPDATE users SET user_id = user_id + 1, city = 'x':m RETURNING 1) SELECT * FROM a",
            "WITH a AS (UPDATE users SET city = 'x':m RETURNING 1), b AS (UPDATE users SET user_id = 9:m) SELECT * FROM a",
            "WITH a AS (DELETE FROM orders:m RETURNING *), b AS (DELETE FROM users USING a WHERE a.tenant_id = users.tenant_id AND users.tenant_id = :t) SELECT 1",
            "WITH a AS (DELETE FROM orders:m RETURNING *), s AS (SELECT order_id FROM a) UPDATE users SET city = 'x':m AND user_id IN (SELECT order_id FROM s)",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 1 + 8, 'x') RETURNING 1) SELECT * FROM a",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 9, 'x') ON CONFLICT DO NOTHING RETURNING 1) SELECT * FROM a",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 9, 'x') ON CONFLICT (tenant_id, lower(email)) DO UPDATE SET city = 'x' RETURNING 1) SELECT * FROM a",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 9, lower('x')) ON CONFLICT (tenant_id, email) DO UPDATE SET city = 'x' RETURNING 1) SELECT * FROM a",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 9, 'x') ON CONFLICT (tenant_id, user_id) DO UPDATE SET user_id = 4 RETURNING 1) SELECT * FROM a",
            "WITH a AS (INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 9, 'x') ON CONFLICT (tenant_id, user_id) DO NOTHING) INSERT INTO users (tenant_id, user_id, email) VALUES (:t, 10, 'y')",
            "WITH a AS (DELETE FROM people:m RETURNING 1) SELECT * FROM a",
            "WITH a AS (DELETE FROM users WHERE city = 'x' RETURNING 1) SELECT * FROM a")) {
      try (Connection client = rig.router.connect("simple")) {
        String statement = sql.replace(":m", mine).replace(":t", tenants.get(1).toString());
        assertThat(failure(client, statement).getMessage()).as(statement).contains("write/cte");
      }
    }
    try (Connection client = rig.router.connect("simple")) {
      assertThat(
              rows(
                  client,
                  "EXPLAIN (ROUTER) WITH gone AS (DELETE FROM users%s AND user_id = 1 RETURNING *) SELECT * FROM gone"
                      .formatted(mine)))
          .anyMatch(line -> line.contains("SELECT with CTEs that change entries, on one shard"))
          .anyMatch(line -> line.contains("FOR NO KEY UPDATE"))
          .anyMatch(line -> line.contains("WHERE rows found RETURNING *"));
      assertThat(
              failure(
                      client,
                      "EXPLAIN ANALYZE WITH gone AS (DELETE FROM users%s RETURNING *) SELECT 1"
                          .formatted(mine))
                  .getMessage())
          .contains("explain/needs-router");
    }
  }

  // --- beside others ---------------------------------------------------------------------------

  /** The row in the way has another primary key than the one in the text. */
  @Test
  void aRowIsMetByAnotherKey() throws SQLException {
    for (var shard : rig.shards) {
      rig.router.direct(shard, "CREATE UNIQUE INDEX natural_key ON users (tenant_id, email)");
    }
    try (Connection client = rig.router.connect("extended")) {
      for (long tenant : tenants) {
        String insert =
            "WITH up AS (INSERT INTO users AS u (tenant_id, user_id, email, city) VALUES (%1$d, 90, 'e%1$d-1', 'A'), (%1$d, 91, 'nat%1$d', 'B'), (%1$d, 92, 'e%1$d-2', 'C') ON CONFLICT (tenant_id, email) DO UPDATE SET email = u.email || '!', city = EXCLUDED.city WHERE u.user_id <> 2 RETURNING concat_ws(' ', user_id, email, city)) SELECT * FROM up"
                .formatted(tenant);
        assertThat(rows(client, insert))
            .containsExactlyInAnyOrder(
                "1 e%d-1! A".formatted(tenant), "91 nat%d B".formatted(tenant));
        rig.entriesAreTrue(insert);
        String nothing =
            "WITH n AS (INSERT INTO users (tenant_id, user_id, email) VALUES (%1$d, 93, 'e%1$d-3'), (%1$d, 94, 'new%1$d') ON CONFLICT (tenant_id, email) DO NOTHING RETURNING user_id) SELECT user_id FROM n"
                .formatted(tenant);
        assertThat(rows(client, nothing)).containsExactly("94");
        rig.entriesAreTrue(nothing);
      }
    } finally {
      for (var shard : rig.shards) {
        rig.router.direct(shard, "DROP INDEX natural_key");
      }
    }
  }

  /**
   * Both wait for who inserts the row first: one leaves it alone, the other has to be run again.
   */
  @Test
  void aRowThatAppearsIsLeftAloneOrMet() throws Exception {
    long tenant = tenants.get(1);
    String insert =
        "WITH made AS (INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 80, 'mine') ON CONFLICT (tenant_id, user_id) %s RETURNING email) SELECT email FROM made";
    for (String action : List.of("DO NOTHING", "DO UPDATE SET email = EXCLUDED.email")) {
      someRows();
      try (Connection first = rig.router.connect("simple");
          Connection second = rig.router.connect("simple")) {
        first.setAutoCommit(false);
        rows(
            first,
            "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 80, 'first')"
                .formatted(tenant));
        String sql = insert.formatted(tenant, action);
        CompletableFuture<List<String>> waiting =
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    return rows(second, sql);
                  } catch (SQLException e) {
                    return List.of(e.getSQLState());
                  }
                });
        awaitAWaiter();
        first.commit();
        boolean updates = action.startsWith("DO UPDATE");
        assertThat(waiting.get(60, java.util.concurrent.TimeUnit.SECONDS))
            .isEqualTo(updates ? List.of("40001") : List.of());
        rig.entriesAreTrue(action);
        assertThat(rows(second, sql)).isEqualTo(updates ? List.of("mine") : List.of());
        rig.entriesAreTrue(action);
        second.setAutoCommit(false);
        rows(second, sql);
        rows(second, "DELETE FROM users WHERE tenant_id = %d AND user_id = 80".formatted(tenant));
        second.commit();
        rig.entriesAreTrue(action);
      }
    }
  }

  /** The rows are those of the moment when they were locked, whatever was waited for. */
  @Test
  void rowsThatOthersChangeMeanwhileAreFollowed() throws Exception {
    long tenant = tenants.get(1);
    String mine = " WHERE tenant_id = " + tenant;
    for (String other :
        List.of(
            "UPDATE users SET email = 'theirs', city = 'Turku'%s AND user_id = 1",
            "DELETE FROM users%s AND user_id = 1",
            "UPDATE users SET user_id = 90%s AND user_id = 1")) {
      someRows();
      try (Connection first = rig.router.connect("simple")) {
        rows(first, "BEGIN");
        rows(first, other.formatted(mine));
        CompletableFuture<List<String>> waiting =
            CompletableFuture.supplyAsync(
                () ->
                    rowsBy(
                        "WITH moved AS (UPDATE users SET email = 'w' || user_id%1$s AND city = 'Oulu' AND user_id < 3 RETURNING email), gone AS (DELETE FROM users%1$s AND user_id = 4 RETURNING email) SELECT * FROM moved UNION ALL SELECT * FROM gone"
                            .formatted(mine)));
        awaitAWaiter();
        rows(first, "COMMIT");
        assertThat(waiting.get())
            .as(other)
            .containsExactlyInAnyOrder("w2", "e%d-4".formatted(tenant));
      }
      rig.entriesAreTrue(other);
    }
  }

  private static void awaitAWaiter() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                !rig.everywhere(
                        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query"
                            + " LIKE '%users%' AND pid <> pg_backend_pid()")
                    .isEmpty());
  }

  @Test
  void fourWritersOfTheSameRows() throws Exception {
    crossing(15);
  }

  /** A driver's fetch size: the statement runs once, to its end, whatever is read of it. */
  @Test
  void rowsComeInPortions() throws SQLException {
    String sql =
        "WITH moved AS (UPDATE users SET email = 'p' || email WHERE tenant_id = %d RETURNING"
            + " user_id) SELECT user_id FROM moved ORDER BY 1";
    for (int read : List.of(1, 5)) {
      try (Connection client = rig.router.connect("extended");
          Statement statement = client.createStatement()) {
        client.setAutoCommit(false);
        statement.setFetchSize(1);
        ResultSet result = statement.executeQuery(sql.formatted(tenants.get(0)));
        List<Integer> found = new ArrayList<>();
        while (found.size() < read && result.next()) {
          found.add(result.getInt(1));
        }
        assertThat(found).isEqualTo(List.of(1, 2, 3, 4).subList(0, Math.min(read, 4)));
        client.commit();
      }
    }
    try (Connection client = rig.router.connect("simple")) {
      assertThat(rows(client, "SELECT 1 FROM users WHERE email LIKE 'pp%'")).hasSize(4);
    }
  }

  @Test
  @Tag("long")
  void fourWritersOfTheSameRowsForLonger() throws Exception {
    crossing(1_000);
  }

  private void crossing(int rounds) throws Exception {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    System.out.println("crossing CTEs, -Dpgconcord.seed=" + seed);
    List<CompletableFuture<List<String>>> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Random random = new Random(seed + i);
      writers.add(CompletableFuture.supplyAsync(() -> write(random, rounds)));
    }
    Set<String> allowed = Set.of("done", "23505", "23502", "40P01", "55P03", "40001");
    for (CompletableFuture<List<String>> writer : writers) {
      assertThat(writer.get()).allMatch(allowed::contains).contains("done");
    }
    rig.entriesAreTrue("seed " + seed);
  }

  private static List<String> write(Random random, int rounds) {
    List<String> outcomes = new ArrayList<>();
    try (Connection client = rig.router.connect("simple")) {
      for (int round = 0; round < rounds; round++) {
        String sql =
            STATEMENTS
                .get(random.nextInt(STATEMENTS.size() - 1))
                .replace(":t", tenants.get(random.nextInt(2)).toString());
        try {
          rows(client, sql);
          outcomes.add("done");
        } catch (SQLException e) {
          outcomes.add(String.valueOf(e.getSQLState()));
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return outcomes;
  }

  private static List<String> rowsBy(String sql) {
    try (Connection other = rig.router.connect("simple")) {
      return rows(other, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> sorted(Connection connection, String sql) throws SQLException {
    return rows(connection, sql).stream().sorted().toList();
  }

  private static SQLException failure(Connection client, String sql) {
    return catchThrowableOfType(SQLException.class, () -> rows(client, sql));
  }
}
