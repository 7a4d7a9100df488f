package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.cluster.ShardProcess;
import org.pgconcord.testkit.fixture.TwoShards;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Statements while a shard has no primary, and when it has another: who waits, and what is
 * believed.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class FailoverIT {
  private static final Duration SLOW = Duration.ofSeconds(60);
  private static final String ON_B = TwoShards.tenantOf(TwoShards.B, 0);
  private static final String ON_A = TwoShards.tenantOf(TwoShards.A, 0);
  private static final ExecutorService CLIENTS = Executors.newCachedThreadPool();

  private static LiveRouter router;

  @BeforeAll
  static void start() throws SQLException {
    router = new LiveRouter(waiting(Duration.ofMinutes(5)));
  }

  private static LiveRouter.Extras waiting(Duration most) {
    return new LiveRouter.Extras(
        Shards::directory, shards -> Decisions.NONE, settings -> settings.withFailoverWait(most));
  }

  @AfterAll
  static void stop() {
    CLIENTS.shutdownNow();
    router.close();
  }

  private static ShardProcess b() {
    return router.shards.cluster.shard(TwoShards.B);
  }

  private static String insert(String tenant, int user) {
    return "INSERT INTO users VALUES (%1$s, %2$d, 'u%2$d@x') RETURNING user_id"
        .formatted(tenant, user);
  }

  private static double gauge(String name) {
    return Optional.ofNullable(router.registry.find("pgconcord.router.failover." + name).meter())
        .map(meter -> meter.measure().iterator().next().getValue())
        .orElse(-1.0);
  }

  private static CompletableFuture<List<String>> soon(Connection client, String sql) {
    CompletableFuture<List<String>> answer = new CompletableFuture<>();
    CLIENTS.execute(
        () -> {
          try {
            answer.complete(rows(client, sql));
          } catch (SQLException e) {
            answer.completeExceptionally(e);
          }
        });
    return answer;
  }

  private static void awaitWaiting(int count) {
    await().atMost(SLOW).until(() -> gauge("waiting") == count);
  }

  private static List<String> ended(CompletableFuture<List<String>> answer) throws Exception {
    return answer.get(SLOW.toSeconds(), TimeUnit.SECONDS);
  }

  private static void endedAs(CompletableFuture<List<String>> answer, String state) {
    assertThatThrownBy(() -> ended(answer))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
  }

  /** Reads, writes, transactions, scatters and logins of others go on meanwhile. */
  @Test
  @Order(1)
  void firstStatementsWaitAndHoldUpNobody() throws Exception {
    b().kill();
    try (Connection write = router.connect();
        Connection scatter = router.connect();
        Connection block = router.connect();
        Connection other = router.connect()) {
      CompletableFuture<List<String>> written = soon(write, insert(ON_B, 1));
      CompletableFuture<List<String>> counted = soon(scatter, "SELECT count(*) FROM users");
      rows(block, "BEGIN");
      rows(block, insert(ON_A, 2));
      CompletableFuture<List<String>> second = soon(block, insert(ON_B, 3));
      awaitWaiting(3);
      assertThat(rows(other, insert(ON_A, 4))).containsExactly("4");
      assertThat(rows(other, "SELECT user_id FROM users WHERE tenant_id = " + ON_A))
          .containsExactly("4");
      try (Connection fresh = router.connect()) {
        assertThat(rows(fresh, "SELECT count(*) FROM countries")).containsExactly("2");
      }
      assertThat(List.of(written, counted, second)).noneMatch(CompletableFuture::isDone);

      router.shards.startAgain(TwoShards.B);
      assertThat(ended(written)).containsExactly("1");
      assertThat(ended(counted)).hasSize(1);
      assertThat(ended(second)).containsExactly("3");
      rows(block, "COMMIT");
      assertThat(rows(other, "SELECT user_id FROM users ORDER BY 1"))
          .containsExactly("1", "2", "3", "4");
      assertThat(gauge("waiting")).isZero();
    }
  }

  /** A transaction whose part on the shard is lost is lost. */
  @Test
  @Order(2)
  void whatIsOpenOnTheShardDoesNotWait() throws Exception {
    try (Connection client = router.connect()) {
      rows(client, "BEGIN");
      rows(client, insert(ON_B, 5));
      b().kill();
      double waits = gauge("waits");
      endedAs(soon(client, insert(ON_B, 6)), "08006");
      endedAs(soon(client, insert(ON_B, 7)), "25P02");
      rows(client, "ROLLBACK");
      assertThat(gauge("waits")).isEqualTo(waits);
      CompletableFuture<List<String>> next =
          soon(client, "SELECT user_id FROM users WHERE user_id = 5");
      awaitWaiting(1);
      router.shards.startAgain(TwoShards.B);
      assertThat(ended(next)).isEmpty();
    }
  }

  @Test
  @Order(3)
  void aWaitEndsByCancelTimeoutAndTheClientsEnd() throws Exception {
    b().kill();
    try (Connection client = router.connect();
        Statement statement = client.createStatement()) {
      CompletableFuture<List<String>> cancelled = new CompletableFuture<>();
      CLIENTS.execute(
          () -> {
            try {
              statement.execute(insert(ON_B, 8));
              cancelled.complete(List.of());
            } catch (SQLException e) {
              cancelled.completeExceptionally(e);
            }
          });
      awaitWaiting(1);
      statement.cancel();
      endedAs(cancelled, "57014");

      rows(client, "SET statement_timeout = '2s'");
      CompletableFuture<List<String>> late = soon(client, "SELECT count(*) FROM users");
      endedAs(late, "57014");
      assertThatThrownBy(() -> ended(late)).hasMessageContaining("statement timeout");
      rows(client, "SET statement_timeout = 0");
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_A)).hasSize(1);
      assertThat(gauge("waiting")).isZero();

      Connection gone = router.connect();
      CompletableFuture<List<String>> nobody = soon(gone, insert(ON_B, 9));
      awaitWaiting(1);
      gone.abort(Runnable::run);
      awaitWaiting(0);
      assertThat(nobody).failsWithin(SLOW);
    } finally {
      router.shards.startAgain(TwoShards.B);
    }
  }

  @Test
  @Order(4)
  void aRouterThatStopsEndsThem() throws Exception {
    b().kill();
    double before = gauge("waits");
    RouterServer beside = router.beside(waiting(Duration.ofMinutes(5)));
    int port = beside.start().getPort();
    try (Connection client = LiveRouter.connect(port, "extended", "ApplicationName", "stop")) {
      CompletableFuture<List<String>> waits =
          soon(client, "SELECT user_id FROM users WHERE tenant_id = " + ON_B);
      await().atMost(SLOW).until(() -> gauge("waits") > before);
      beside.close();
      endedAs(waits, "57P01");
    } finally {
      router.shards.startAgain(TwoShards.B);
    }
  }

  @Test
  @Order(5)
  void alsoALoginWaits() throws Exception {
    router.shards.cluster.shard(TwoShards.A).kill();
    CompletableFuture<List<String>> logsIn = new CompletableFuture<>();
    CLIENTS.execute(
        () -> {
          try (Connection client = router.connect()) {
            logsIn.complete(rows(client, "SELECT count(*) FROM countries"));
          } catch (SQLException e) {
            logsIn.completeExceptionally(e);
          }
        });
    awaitWaiting(1);
    router.shards.startAgain(TwoShards.A);
    assertThat(ended(logsIn)).containsExactly("2");
  }

  /**
   * The standby lacks that a tenant's row went and another's came, both on its shard, with one
   * email. The entry leads to the new tenant, whose row is gone; the old one's is back, and no
   * entry tells of it. Then all that answers are wrong servers.
   */
  @Test
  @Order(6)
  void aPromotedStandbyIsTakenAndWrongServersNever() throws Exception {
    String other = TwoShards.tenantOf(TwoShards.B, 1);
    String byEmail = "SELECT tenant_id FROM users WHERE email = 'u20@x'";
    ShardProcess before = b();
    ShardProcess standby = router.shards.cluster.startReplica(TwoShards.B);
    router.shards.at(TwoShards.B, List.of(before, standby));
    try (Connection client = router.connect();
        Connection untouched = router.connect()) {
      rows(client, insert(ON_B, 20));
      router.compared();
      follow(standby, "SELECT 1 FROM users WHERE user_id = 20");
      rows(client, "DELETE FROM users WHERE tenant_id = %s AND user_id = 20".formatted(ON_B));
      rows(client, insert(other, 20));
      assertThat(rows(client, byEmail)).containsExactly(other);

      before.kill();
      CompletableFuture<List<String>> written = soon(client, insert(ON_B, 21));
      CompletableFuture<List<String>> led = soon(untouched, byEmail);
      awaitWaiting(2);
      at(standby, "SELECT pg_promote()");
      assertThat(ended(led)).containsExactly(ON_B);
      assertThat(ended(written)).containsExactly("21");
      assertThat(rows(client, "EXPLAIN (ROUTER) " + byEmail))
          .anyMatch(line -> line.contains("scatter"))
          .anyMatch(line -> line.contains("another server, with which it has not been compared"));
      router.compared();
      assertThat(rows(client, "EXPLAIN (ROUTER) " + byEmail))
          .anyMatch(line -> line.contains("index lookup"));
    }
    assertThat(at(standby, "SELECT count(*) FROM users WHERE user_id = 21")).containsExactly("1");

    before.start();
    standby.stop();
    ShardProcess another = router.shards.cluster.shard(TwoShards.A);
    router.shards.at(TwoShards.B, List.of(before, standby, another));
    RouterServer hasty = router.beside(waiting(Duration.ofSeconds(1)));
    int port = hasty.start().getPort();
    try (Connection client = LiveRouter.connect(port, "extended", "ApplicationName", "hasty");
        Connection patient = router.connect()) {
      CompletableFuture<List<String>> waits = soon(patient, insert(ON_B, 32));
      assertThatThrownBy(() -> rows(client, insert(ON_B, 31)))
          .isInstanceOfSatisfying(PSQLException.class, e -> saysWhy(e, standby));
      assertThat(waits).isNotDone();
      standby.start();
      assertThat(ended(waits)).containsExactly("32");
    } finally {
      hasty.close();
    }
    for (ShardProcess wrong : List.of(before, another)) {
      assertThat(at(wrong, "SELECT user_id FROM users WHERE user_id > 30")).isEmpty();
    }
  }

  /** The standby lacks the entry; the first who hears of it is the one who looks it up. */
  @Test
  @Order(7)
  void aFollowerThatLacksEntriesIsNotBelieved() throws Exception {
    ShardProcess standby = router.shards.cluster.startReplica(TwoShards.A);
    try (Connection client = router.connect();
        Connection untouched = router.connect()) {
      rows(client, insert(ON_B, 40));
      router.compared();
      follow(standby, "SELECT 1 FROM users_by_email WHERE email = 'u40@x'");
      rows(client, insert(ON_B, 41));
      String byEmail = "SELECT user_id FROM users WHERE email = 'u41@x'";
      assertThat(rows(client, byEmail)).containsExactly("41");
      rows(untouched, "BEGIN");
      assertThat(rows(untouched, "SELECT count(*) FROM users WHERE tenant_id = " + ON_B))
          .hasSize(1);

      router.shards.cluster.shard(TwoShards.A).kill();
      router.shards.at(TwoShards.A, List.of(standby));
      at(standby, "SELECT pg_promote()");
      assertThat(at(standby, "SELECT 1 FROM users_by_email WHERE email = 'u41@x'")).isEmpty();
      assertThat(rows(untouched, byEmail)).containsExactly("41");
      rows(untouched, "ROLLBACK");
      assertThat(rows(client, byEmail)).containsExactly("41");
    }
  }

  /** The standby has that row, and gets nothing that comes after it. */
  private static void follow(ShardProcess standby, String sql) throws SQLException {
    await().atMost(SLOW).until(() -> !at(standby, sql).isEmpty());
    at(standby, "ALTER SYSTEM SET primary_conninfo = ''");
    at(standby, "SELECT pg_reload_conf()");
    await().atMost(SLOW).until(() -> at(standby, "SELECT 1 FROM pg_stat_wal_receiver").isEmpty());
  }

  private static void saysWhy(PSQLException error, ShardProcess down) {
    ServerErrorMessage told = error.getServerErrorMessage();
    assertThat(told.getSQLState()).isEqualTo("57P03");
    assertThat(told.getMessage()).contains("no primary of shard shard-b is known");
    assertThat(told.getDetail())
        .contains("Waited for 1000 ms", "timeline 1", "timeline 2")
        .contains(down.port() + ": cannot be reached")
        .contains("another server answers for shard shard-b");
    assertThat(told.getHint()).contains("router.failover_wait");
  }

  private static List<String> at(ShardProcess server, String sql) throws SQLException {
    try (Connection superuser = router.shards.cluster.asSuperuser(server)) {
      return rows(superuser, sql);
    }
  }
}
