package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.tx.Shards;

/** How waits end: deadlocks over shards, lock_timeout, statement_timeout, cancel. */
class WaitingIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ALSO_ON_B = tenantOf(B, 1);
  private static final String X = "x@example.com";

  /** Two seconds, and one for a machine that is busy with other tests. */
  private static final Duration SOON = Duration.ofSeconds(3);

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
  void oneUserOnEachShard() {
    shards.empty();
    router.publish(GsiState.ENABLED);
    for (String tenant : List.of(ON_A, ON_B)) {
      shards.run(
          tenant.equals(ON_A) ? A : B,
          "INSERT INTO users VALUES (%s, 1, 'u@t%s')".formatted(tenant, tenant));
      shards.run(A, "INSERT INTO users_by_email VALUES ('u@t%s', %s)".formatted(tenant, tenant));
    }
  }

  @AfterEach
  void nothingRunsOn() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              for (ShardId shard : List.of(A, B)) {
                assertThat(
                        shards.ask(
                            shard,
                            "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('demo',"
                                + " 'pgconcord') AND state <> 'idle'"))
                    .isEqualTo("0");
              }
            });
  }

  // --- deadlocks -------------------------------------------------------------------------------

  @Test
  void updatesThatCrossOverTwoShardsEndWithinTwoSeconds() throws Exception {
    try (Connection first = begin();
        Connection second = begin()) {
      run(first, update(ON_A, "first"));
      run(second, update(ON_B, "second"));
      oneOfTwoEnds(first, update(ON_B, "first"), second, update(ON_A, "second"));
    }
  }

  @Test
  void anEntryAndARowThatCrossEndWithinTwoSeconds() throws Exception {
    try (Connection first = begin();
        Connection second = begin()) {
      run(first, insert(ALSO_ON_B, 5, X));
      run(second, update(ON_B, "second"));
      oneOfTwoEnds(first, update(ON_B, "first"), second, insert(ON_A, 5, X));
    }
  }

  @Test
  void threeInACircleEndWithinTwoSeconds() throws Exception {
    shards.run(A, "INSERT INTO users VALUES (%s, 2, 'second')".formatted(ON_A));
    try (Connection first = begin();
        Connection second = begin();
        Connection third = begin()) {
      run(first, update(ON_A, "first") + " AND user_id = 1");
      run(second, update(ON_B, "second"));
      run(third, update(ON_A, "third") + " AND user_id = 2");
      List<CompletableFuture<String>> all = new ArrayList<>();
      all.add(attempt(first, update(ON_B, "first")));
      all.add(attempt(second, update(ON_A, "second") + " AND user_id = 2"));
      long begin = System.nanoTime();
      all.add(attempt(third, update(ON_A, "third") + " AND user_id = 1"));
      CompletableFuture.anyOf(all.toArray(CompletableFuture<?>[]::new)).get();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
      List<Connection> clients = List.of(first, second, third);
      List<String> results = new ArrayList<>();
      while (results.size() < 3) {
        for (int i = 0; i < 3; i++) {
          if (all.get(i) != null && all.get(i).isDone()) {
            results.add(all.get(i).get());
            all.set(i, null);
            run(clients.get(i), "COMMIT");
          }
        }
      }
      assertThat(results).containsExactlyInAnyOrder("40P01", "", "");
    }
  }

  @Test
  void threeRoutersWithOneEachEndOneOfThem() throws Exception {
    shards.run(A, "INSERT INTO users VALUES (%s, 2, 'second')".formatted(ON_A));
    List<String> rows =
        List.of(
            update(ON_A, "x") + " AND user_id = 1",
            update(ON_B, "x"),
            update(ON_A, "x") + " AND user_id = 2");
    List<Connection> clients = new ArrayList<>();
    try (RouterServer second = router.beside();
        RouterServer third = router.beside()) {
      for (int port : List.of(router.port(), second.start().getPort(), third.start().getPort())) {
        clients.add(LiveRouter.connect(port, "simple", "ApplicationName", "test"));
      }
      List<CompletableFuture<String>> ends = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        run(clients.get(i), "BEGIN");
        run(clients.get(i), rows.get(i));
      }
      for (int i = 0; i < 3; i++) {
        Connection client = clients.get(i);
        ends.add(
            attempt(client, rows.get((i + 1) % 3))
                .thenApply(
                    end -> {
                      attempt(client, "COMMIT").join();
                      return end;
                    }));
      }
      List<String> states = new ArrayList<>();
      for (CompletableFuture<String> end : ends) {
        states.add(end.get(60, TimeUnit.SECONDS));
      }
      assertThat(states).containsExactlyInAnyOrder("40P01", "", "");
    } finally {
      for (Connection client : clients) {
        client.close();
      }
    }
  }

  /** The claim waits for the holder's row, which the same transaction has locked. */
  @Test
  void aTransactionThatWaitsForItselfEndsWithinTwoSeconds() throws Exception {
    try (Connection client = begin()) {
      run(client, "SELECT * FROM users WHERE tenant_id = " + ON_B + " FOR UPDATE");
      long begin = System.nanoTime();
      assertThat(attempt(client, insert(ALSO_ON_B, 5, "u@t" + ON_B)).get()).isEqualTo("40P01");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
      run(client, "ROLLBACK");
    }
  }

  @Test
  void aLongWaitIsNoDeadlock() throws Exception {
    try (Connection first = begin();
        Connection second = begin()) {
      run(first, update(ON_A, "first"));
      run(second, update(ON_B, "second"));
      CompletableFuture<String> waits = attempt(second, update(ON_A, "second"));
      assertThat(attempt(first, "SELECT pg_sleep(2.5)").get()).isEmpty();
      assertThat(waits).isNotDone();
      run(first, "COMMIT");
      assertThat(waits.get()).isEmpty();
      run(second, "COMMIT");
    }
  }

  private static void oneOfTwoEnds(
      Connection first, String firstSql, Connection second, String secondSql) throws Exception {
    CompletableFuture<String> one = attempt(first, firstSql);
    awaitWaiting();
    long begin = System.nanoTime();
    CompletableFuture<String> two = attempt(second, secondSql);
    CompletableFuture.anyOf(one, two).get();
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(SOON);
    boolean firstEnded = one.isDone();
    assertThat((firstEnded ? one : two).get()).isEqualTo("40P01");
    run(firstEnded ? first : second, "ROLLBACK");
    assertThat((firstEnded ? two : one).get()).isEmpty();
    run(firstEnded ? second : first, "COMMIT");
  }

  // --- limits ----------------------------------------------------------------------------------

  @Test
  void theSessionsLockTimeoutBoundsWaitsForEntries() throws Exception {
    try (Connection holder = begin();
        Connection client = router.connect("simple")) {
      run(holder, insert(ON_B, 5, X));
      run(client, "SET lock_timeout = '300ms'");
      for (String tenant : List.of(ON_A, ALSO_ON_B)) {
        assertThat(timed(client, insert(tenant, 6, X), "55P03")).isLessThan(Duration.ofSeconds(2));
      }
      run(client, "SET lock_timeout = '1h'");
      assertThat(timed(client, insert(ALSO_ON_B, 6, X), "55P03"))
          .isBetween(Duration.ofSeconds(4), Duration.ofSeconds(8));
      run(holder, "ROLLBACK");
    }
  }

  @Test
  void aLockTimeoutSetInsideATransactionGoesBackWithIt() throws Exception {
    try (Connection holder = begin();
        Connection client = begin()) {
      run(holder, insert(ON_B, 5, X));
      run(client, insert(ALSO_ON_B, 7, "other"));
      run(client, "SAVEPOINT s; SET LOCAL lock_timeout = '200ms'");
      assertThat(timed(client, insert(ALSO_ON_B, 6, X), "55P03")).isLessThan(Duration.ofSeconds(2));
      run(client, "ROLLBACK TO s; SET LOCAL lock_timeout = '1500ms'");
      assertThat(timed(client, insert(ALSO_ON_B, 6, X), "55P03"))
          .isBetween(Duration.ofMillis(1400), Duration.ofSeconds(4));
      run(client, "ROLLBACK");
      run(holder, "ROLLBACK");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void statementTimeoutCoversAllPartsOfAStatement(String mode) throws Exception {
    try (Connection holder = begin();
        Connection client = router.connect(mode)) {
      run(holder, insert(ON_B, 5, X));
      run(client, "SET statement_timeout = '500ms'");
      assertThat(timed(client, insert(ALSO_ON_B, 6, X), "57014")).isLessThan(Duration.ofSeconds(2));
      client.setAutoCommit(false);
      run(client, update(ON_A, "n"));
      assertThat(timed(client, insert(ALSO_ON_B, 6, X), "57014")).isLessThan(Duration.ofSeconds(2));
      client.rollback();
      run(holder, "ROLLBACK");
      client.setAutoCommit(true);
      run(client, insert(ALSO_ON_B, 6, X));
      assertThat(shards.entries()).containsEntry(X, ALSO_ON_B);
    }
  }

  @Test
  void statementTimeoutCoversCommit() throws Exception {
    try (Connection holder = shards.cluster.asSuperuser(A);
        Connection client = begin()) {
      holder.setAutoCommit(false);
      run(holder, "SELECT * FROM users_by_email WHERE email = 'u@t" + ON_B + "' FOR UPDATE");
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
      run(client, "SET LOCAL statement_timeout = '500ms'");
      assertThat(timed(client, "COMMIT", "57014")).isLessThan(Duration.ofSeconds(2));
      holder.rollback();
      assertThat(shards.owners()).containsKey("u@t" + ON_B);
      run(client, "ROLLBACK");
    }
  }

  @Test
  void cancelEndsAWaitForAnEntry() throws Exception {
    try (Connection holder = begin();
        Connection client = router.connect("simple");
        Statement statement = client.createStatement()) {
      run(holder, insert(ON_B, 5, X));
      CompletableFuture<String> waits =
          CompletableFuture.supplyAsync(
              () -> {
                SQLException error =
                    catchThrowableOfType(
                        SQLException.class, () -> statement.execute(insert(ALSO_ON_B, 6, X)));
                return error == null ? "" : error.getSQLState() + " " + error.getMessage();
              },
              threads);
      awaitWaiting();
      statement.cancel();
      assertThat(waits.get()).startsWith("57014").contains("user request");
      run(holder, "ROLLBACK");
    }
  }

  // --- the clients -----------------------------------------------------------------------------

  private static void awaitWaiting() {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                List.of(A, B).stream()
                    .anyMatch(
                        shard ->
                            !shards
                                .ask(shard, "SELECT count(*) FROM pg_locks WHERE NOT granted")
                                .equals("0")));
  }

  private static Connection begin() throws SQLException {
    Connection client = router.connect("simple");
    run(client, "BEGIN");
    return client;
  }

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, email);
  }

  private static String update(String tenant, String name) {
    return "UPDATE users SET name = '%s' WHERE tenant_id = %s".formatted(name, tenant);
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Empty, or the SQLSTATE. */
  private static CompletableFuture<String> attempt(Connection client, String sql) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            run(client, sql);
            return "";
          } catch (SQLException e) {
            return e.getSQLState();
          }
        },
        threads);
  }

  private static Duration timed(Connection client, String sql, String state) throws Exception {
    long begin = System.nanoTime();
    assertThat(attempt(client, sql).get()).as(sql).isEqualTo(state);
    return Duration.ofNanos(System.nanoTime() - begin);
  }
}
