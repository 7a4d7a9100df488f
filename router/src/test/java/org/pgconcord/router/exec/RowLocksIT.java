package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.DeclaredRouter.rows;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.cluster.CommitHook;

/** Rows that a SELECT locks over shards (docs/decisions/0024). */
class RowLocksIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);

  private static LiveRouter router;
  private static Shards shards;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws SQLException {
    router = new LiveRouter();
    shards = router.shards;
    threads = Executors.newCachedThreadPool();
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    router.close();
  }

  @BeforeEach
  void twoUsersOnEachShard() {
    shards.empty();
    router.publish(GsiState.ENABLED);
    for (ShardId shard : List.of(A, B)) {
      String tenant = shard.equals(A) ? ON_A : ON_B;
      for (int user = 1; user <= 2; user++) {
        String email = "u%d@t%s".formatted(user, tenant);
        shards.run(
            shard, "INSERT INTO users VALUES (%s, %d, '%s', 'old')".formatted(tenant, user, email));
        shards.run(A, "INSERT INTO users_by_email VALUES ('%s', %s)".formatted(email, tenant));
      }
    }
  }

  // --- what is locked --------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void rowsStayLockedOnAllShardsUntilTheEnd(String mode) throws SQLException {
    try (Connection client = begin(mode)) {
      assertThat(rows(client, "SELECT user_id FROM users WHERE user_id = 1 FOR UPDATE")).hasSize(2);
      for (ShardId shard : List.of(A, B)) {
        assertThat(free(shard, "FOR KEY SHARE")).isEqualTo("1");
      }
      rows(client, "COMMIT");
      for (ShardId shard : List.of(A, B)) {
        assertThat(free(shard, "FOR KEY SHARE")).isEqualTo("2");
      }
    }
  }

  @Test
  void strengthsAndWaysToWaitAreTheServers() throws SQLException {
    try (Connection holder = begin("simple");
        Connection client = begin("extended")) {
      rows(holder, "SELECT 1 FROM users u WHERE u.user_id = 2 FOR KEY SHARE OF u");
      assertThat(rows(client, "SELECT 1 FROM users FOR NO KEY UPDATE NOWAIT")).hasSize(4);
      rows(client, "ROLLBACK; BEGIN");
      assertThat(state(client, "SELECT 1 FROM users FOR UPDATE NOWAIT")).isEqualTo("55P03");
      rows(client, "ROLLBACK; BEGIN");
      assertThat(rows(client, "SELECT user_id FROM users FOR UPDATE SKIP LOCKED"))
          .containsExactly("1", "1");
      rows(client, "ROLLBACK");
      assertThat(free(B, "FOR UPDATE")).isEqualTo("1");
      rows(holder, "SAVEPOINT s");
      rows(holder, "SELECT 1 FROM users FOR UPDATE");
      assertThat(free(B, "FOR UPDATE")).isEqualTo("0");
      rows(holder, "ROLLBACK TO s");
      assertThat(free(B, "FOR UPDATE")).isEqualTo("1");
    }
  }

  @Test
  void aRowThatChangedWhileItWasWaitedForIsLookedAtAgain() throws Exception {
    try (Connection holder = begin("simple");
        Connection client = begin("extended")) {
      rows(holder, "UPDATE users SET name = 'new' WHERE tenant_id = " + ON_B);
      CompletableFuture<List<String>> waits =
          later(client, "SELECT user_id FROM users WHERE name = 'old' FOR UPDATE");
      awaitWaiting(B);
      rows(holder, "COMMIT");
      assertThat(waits.get(30, TimeUnit.SECONDS)).containsExactly("1", "2");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void theOwnersRowIsLockedThroughAnIndex(String mode) throws SQLException {
    try (Connection client = begin(mode)) {
      String sql = "SELECT email, tenant_id FROM users WHERE email = 'u1@t%s' FOR UPDATE";
      assertThat(rows(client, sql.formatted(ON_B))).hasSize(1);
      assertThat(free(B, "FOR KEY SHARE")).isEqualTo("1");
    }
  }

  /** Its writers come to the leading copy first. */
  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aReferenceTablesRowIsKeptFromItsWriters(String mode) throws SQLException {
    try (Connection client = begin(mode);
        Connection writer = router.connect(mode)) {
      assertThat(rows(client, "SELECT name FROM countries WHERE code = 'FI' FOR SHARE"))
          .containsExactly("Finland");
      rows(writer, "SET lock_timeout = '200ms'");
      String update = "UPDATE countries SET name = 'Finland' WHERE code = 'FI'";
      assertThat(state(writer, update)).isEqualTo("55P03");
      rows(client, "COMMIT");
      assertThat(state(writer, update)).isEmpty();
    }
  }

  @Test
  void rowsOfOneOfSeveralTablesAreLocked() throws SQLException {
    String join = "SELECT 1 FROM users u LEFT JOIN countries c ON c.code = u.name FOR UPDATE";
    try (Connection client = begin("simple")) {
      assertThat(rows(client, join + " OF u")).hasSize(4);
      assertThat(free(A, "FOR UPDATE")).isEqualTo("0");
      rows(client, "ROLLBACK");
      for (String of : List.of("", " OF c", " OF u, c", " OF u FOR SHARE")) {
        assertThat(state(client, join + of)).as(of).isEqualTo("0A000");
      }
    }
  }

  // --- the first of an order -------------------------------------------------------------------

  private static final String QUEUE =
      "SELECT tenant_id || '|' || user_id AS job FROM users WHERE name = 'old'"
          + " ORDER BY user_id, tenant_id LIMIT ";

  /** Who takes a row leaves all others to the next, on every shard. */
  @Test
  void workersOfOneQueueGetEachARowOfTheirOwn() throws SQLException {
    List<Connection> workers = new java.util.ArrayList<>();
    List<String> given = new java.util.ArrayList<>();
    try {
      for (int i = 0; i < 5; i++) {
        workers.add(begin(i % 2 == 0 ? "simple" : "extended"));
        given.addAll(rows(workers.get(i), QUEUE + "1 FOR UPDATE SKIP LOCKED"));
        assertThat(given).hasSize(Math.min(i + 1, 4)).doesNotHaveDuplicates();
      }
      rows(
          workers.get(1),
          "UPDATE users SET name = 'new' WHERE (tenant_id, user_id) IN (("
              + given.get(1).replace("|", ", ")
              + "))");
      rows(workers.get(1), "COMMIT");
      rows(workers.get(2), "ROLLBACK");
      assertThat(rows(workers.get(4), QUEUE + "9 FOR UPDATE SKIP LOCKED"))
          .containsExactly(given.get(2));
    } finally {
      for (Connection worker : workers) {
        worker.close();
      }
    }
  }

  @Test
  void aRowThatIsNoLongerMeantMakesRoomForTheNext() throws Exception {
    try (Connection holder = begin("simple");
        Connection client = begin("extended")) {
      String first = rows(holder, QUEUE + "1 FOR UPDATE").get(0);
      String tenant = first.substring(0, first.indexOf('|'));
      rows(holder, "UPDATE users SET name = 'new' WHERE user_id = 1 AND tenant_id = " + tenant);
      CompletableFuture<List<String>> waits = later(client, QUEUE + "2 FOR UPDATE");
      awaitWaiting(tenant.equals(ON_A) ? A : B);
      rows(holder, "COMMIT");
      assertThat(waits.get(30, TimeUnit.SECONDS)).hasSize(2).doesNotContain(first);
      rows(client, "SAVEPOINT s");
      assertThat(rows(client, QUEUE + "9 FOR UPDATE")).hasSize(3);
      rows(client, "ROLLBACK TO s");
      assertThat(rows(holder, QUEUE + "9 FOR UPDATE SKIP LOCKED")).hasSize(1);
    }
  }

  /** Both wait in the order, whatever shards the rows are on. */
  @Test
  void sessionsThatLockInOneOrderDoNotDeadlock() throws Exception {
    try (Connection holder = begin("simple");
        Connection one = begin("simple");
        Connection two = begin("simple")) {
      rows(holder, "SELECT 1 FROM users WHERE tenant_id = " + ON_B + " FOR UPDATE");
      CompletableFuture<List<String>> first = later(one, QUEUE + "4 FOR UPDATE");
      awaitWaiting(B);
      String behind = "SELECT user_id FROM users WHERE user_id = 2 AND tenant_id = " + ON_A;
      assertThat(rows(holder, behind + " FOR UPDATE NOWAIT")).as("is nobody's yet").hasSize(1);
      CompletableFuture<List<String>> second = later(two, QUEUE + "4 FOR UPDATE");
      rows(holder, "COMMIT");
      assertThat(first.get(30, TimeUnit.SECONDS)).hasSize(4);
      rows(one, "COMMIT");
      assertThat(second.get(30, TimeUnit.SECONDS)).hasSize(4);
    }
  }

  // --- how long --------------------------------------------------------------------------------

  /** COMMIT on the written shard takes a while: the other's locks outlive it. */
  @ParameterizedTest
  @ValueSource(strings = {"WHERE tenant_id = %s", "WHERE user_id < 3 AND tenant_id <> 0"})
  void whatWasWrittenUnderALockIsSeenByWhoGetsIt(String rows) throws Exception {
    CommitHook slow = new CommitHook("slow", "users");
    slow.create("UPDATE", "true", "PERFORM pg_sleep(0.5);").forEach(sql -> shards.run(B, sql));
    try (Connection holder = begin("simple");
        Connection next = begin("extended")) {
      rows(holder, "SELECT 1 FROM users " + rows.formatted(ON_A) + " FOR UPDATE");
      rows(holder, "UPDATE users SET name = 'new' WHERE user_id = 1 AND tenant_id = " + ON_B);
      CompletableFuture<List<String>> waits =
          later(next, "SELECT 1 FROM users WHERE tenant_id = " + ON_A + " FOR UPDATE");
      awaitWaiting(A);
      CompletableFuture<List<String>> commit = later(holder, "COMMIT");
      waits.get(30, TimeUnit.SECONDS);
      assertThat(rows(next, "SELECT name FROM users WHERE user_id = 1 AND tenant_id = " + ON_B))
          .containsExactly("new");
      commit.get(30, TimeUnit.SECONDS);
    } finally {
      slow.drop().forEach(sql -> shards.run(B, sql));
    }
  }

  @Test
  void aLostLockFailsTheCommit() throws SQLException {
    try (Connection client = begin("simple")) {
      rows(client, "SELECT 1 FROM users WHERE tenant_id = " + ON_A + " FOR UPDATE");
      rows(client, "UPDATE users SET name = 'new' WHERE tenant_id = " + ON_B);
      shards.ask(
          A,
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
              + " WHERE usename = 'demo' AND state = 'idle in transaction'");
      assertThat(state(client, "COMMIT")).isNotEmpty();
      assertThat(shards.ask(B, "SELECT count(*) FROM users WHERE name = 'new'")).isEqualTo("0");
    }
  }

  @Test
  void locksThatCrossOverTwoShardsEndAsADeadlock() throws Exception {
    try (Connection first = begin("simple");
        Connection second = begin("simple")) {
      rows(first, "SELECT 1 FROM users WHERE tenant_id = " + ON_A + " FOR SHARE");
      rows(second, "SELECT 1 FROM users WHERE tenant_id = " + ON_B + " FOR SHARE");
      CompletableFuture<String> one = attempt(first, "SELECT 1 FROM users FOR UPDATE");
      awaitWaiting(B);
      CompletableFuture<String> two = attempt(second, "SELECT 1 FROM users FOR UPDATE");
      CompletableFuture.anyOf(one, two).get(30, TimeUnit.SECONDS);
      boolean firstEnded = one.isDone();
      assertThat((firstEnded ? one : two).get()).isEqualTo("40P01");
      rows(firstEnded ? first : second, "ROLLBACK");
      assertThat((firstEnded ? two : one).get(30, TimeUnit.SECONDS)).isEmpty();
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  private static Connection begin(String mode) throws SQLException {
    Connection client = router.connect(mode);
    rows(client, "BEGIN");
    return client;
  }

  /** How many rows of the shard's users another could lock so. */
  private static String free(ShardId shard, String lock) {
    return shards.ask(
        shard,
        "WITH free AS (SELECT 1 FROM users " + lock + " SKIP LOCKED) SELECT count(*) FROM free");
  }

  private static String state(Connection client, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> rows(client, sql));
    return error == null ? "" : error.getSQLState();
  }

  private static CompletableFuture<List<String>> later(Connection client, String sql) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return rows(client, sql);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        threads);
  }

  private static CompletableFuture<String> attempt(Connection client, String sql) {
    return CompletableFuture.supplyAsync(() -> state(client, sql), threads);
  }

  private static void awaitWaiting(ShardId shard) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                !shards.ask(shard, "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0"));
  }
}
