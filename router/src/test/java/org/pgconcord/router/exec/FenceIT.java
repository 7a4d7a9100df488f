package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;

/** Writes of a fenced table against the fence of their shard, by a router that is late or not. */
class FenceIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String SEQUENCE = "pgconcord.\"fence public.users\"";

  private static LiveRouter router;
  private static Shards shards;
  private long epoch;

  @BeforeAll
  static void start() throws SQLException {
    router = new LiveRouter();
    shards = router.shards;
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  @BeforeEach
  void empty() {
    shards.empty();
    router.leased = true;
    epoch = router.publish(GsiState.TAILING);
    raise(epoch);
  }

  private static void raise(long least) {
    for (ShardId shard : List.of(A, B)) {
      shards.ask(shard, "SELECT setval('" + SEQUENCE + "', " + least + ")");
    }
  }

  // --- a router that is up to date ---------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "simple,TAILING",
    "extended,TAILING",
    "simple,ENABLED",
    "extended,ENABLED",
  })
  void everyWriteHoldsItsEpochUntilItsTransactionEnds(String mode, GsiState state)
      throws SQLException {
    long now = router.publish(state);
    try (Connection client = router.connect(mode)) {
      client.setAutoCommit(false);
      run(client, "SELECT 1 FROM users WHERE tenant_id = " + ON_A);
      assertThat(held(A)).isEmpty();
      run(client, insert(ON_A, 1));
      assertThat(held(A)).isEqualTo(now + " ShareLock");
      assertThat(held(B)).isEmpty();
      run(client, insert(ON_A, 2));
      run(client, insert(ON_B, 3));
      assertThat(held(B)).isEqualTo(now + " ShareLock");
      client.commit();
      assertThat(held(A) + held(B)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aStatementByItselfPassesInOneTransaction(String mode) throws SQLException {
    shards.run(
        A,
        "CREATE OR REPLACE FUNCTION seen() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " NEW.name := (SELECT string_agg(objid || ' ' || mode, ',') FROM pg_locks"
            + " WHERE locktype = 'advisory' AND objsubid = 2 AND objid::bigint < 1 << 30"
            + " AND pid = pg_backend_pid());"
            + " RETURN NEW; END $$");
    shards.run(
        A, "CREATE TRIGGER seen BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION seen()");
    try (Connection client = router.connect(mode)) {
      run(client, insert(ON_A, 1));
      assertThat(shards.ask(A, "SELECT name FROM users")).isEqualTo(epoch + " ShareLock");
      assertThat(held(A)).isEmpty();
    } finally {
      shards.run(A, "DROP TRIGGER seen ON users");
    }
  }

  @Test
  void aWriterUnderTheNextEpochDoesNotQueueBehindADrain() throws SQLException {
    try (Connection old = router.connect();
        Connection young = router.connect();
        Connection drain = shards.cluster.asService(A)) {
      old.setAutoCommit(false);
      run(old, insert(ON_A, 1));
      long next = router.publish(GsiState.WRITE_ONLY);
      raise(next);
      CompletableFuture<Void> drained =
          CompletableFuture.runAsync(() -> runUnchecked(drain, exclusive(epoch)));
      await()
          .untilAsserted(
              () ->
                  assertThat(
                          shards.ask(
                              A,
                              "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock'"
                                  + " AND locktype = 'advisory' AND NOT granted"))
                      .isEqualTo("1"));
      run(young, insert(ON_A, 2));
      assertThat(drained).isNotDone();
      run(old, "SELECT 1 FROM users WHERE tenant_id = " + ON_A);
      old.commit();
      drained.join();
    }
  }

  @Test
  void rollbackToASavepointLetsTheLockGoAndTheNextWriteTakesItAgain() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      run(client, "SELECT 1 FROM users WHERE tenant_id = " + ON_A);
      Savepoint savepoint = client.setSavepoint();
      run(client, insert(ON_A, 1));
      client.rollback(savepoint);
      assertThat(held(A)).isEmpty();
      run(client, insert(ON_A, 1));
      assertThat(held(A)).isEqualTo(epoch + " ShareLock");
      client.rollback();
    }
  }

  // --- a router that is late ---------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({"simple,false", "extended,false", "simple,true", "extended,true"})
  void aLateWriteThatHasDoneNothingIsPlannedAnew(String mode, boolean transaction)
      throws SQLException {
    raise(epoch + 1);
    try (Connection client = router.connect(mode)) {
      client.setAutoCommit(!transaction);
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(() -> runUnchecked(client, insert(ON_B, 1)));
      await().pollDelay(Duration.ofMillis(200)).until(() -> !written.isDone());
      assertThat(shards.owners()).isEmpty();
      router.publish(GsiState.WRITE_ONLY);
      written.join();
      if (transaction) {
        client.commit();
      }
      assertThat(shards.entries()).containsEntry("m1@example.com", ON_B);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aLateMaintainedWriteIsPlannedAnew(String mode) throws SQLException {
    router.publish(GsiState.ENABLED);
    raise(router.epochs.current().revision() + 1);
    try (Connection client = router.connect(mode)) {
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> runUnchecked(client, insert(ON_A, 1).replace(";", "") + " RETURNING name"));
      await().pollDelay(Duration.ofMillis(200)).until(() -> !written.isDone());
      router.publish(GsiState.WRITE_ONLY);
      written.join();
      assertThat(shards.entries()).containsEntry("m1@example.com", ON_A);
    }
  }

  @Test
  void aPreparedStatementIsPlannedAnew() throws SQLException {
    try (Connection client = router.connect();
        PreparedStatement insert =
            client.prepareStatement(
                "INSERT INTO users (tenant_id, user_id, email) VALUES (?, ?, ?)")) {
      for (int row = 1; row <= 10; row++) {
        if (row == 8) {
          long next = router.epochs.current().revision() + 1;
          raise(next);
          CompletableFuture.delayedExecutor(100, java.util.concurrent.TimeUnit.MILLISECONDS)
              .execute(() -> router.publish(GsiState.WRITE_ONLY));
        }
        insert.setLong(1, Long.parseLong(ON_A));
        insert.setLong(2, row);
        insert.setString(3, "p" + row);
        insert.executeUpdate();
      }
    }
    assertThat(shards.owners()).hasSize(10);
    assertThat(shards.entries().keySet()).containsExactlyInAnyOrder("p8", "p9", "p10");
  }

  @ParameterizedTest
  @ValueSource(strings = {"READ COMMITTED", "REPEATABLE READ"})
  void aTransactionThatHasReadHearsThatItsEpochPassed(String isolation) throws SQLException {
    try (Connection client = router.connect()) {
      run(client, "BEGIN ISOLATION LEVEL " + isolation);
      run(client, "SELECT 1 FROM users WHERE tenant_id = " + ON_A);
      raise(epoch + 1);
      assertThatThrownBy(() -> run(client, insert(ON_A, 1)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"))
          .hasMessageContaining("tx/epoch-passed");
      assertThatThrownBy(() -> run(client, "SELECT 1")).hasMessageContaining("aborted");
      run(client, "ROLLBACK");
    }
    assertThat(shards.owners()).isEmpty();
  }

  @Test
  void severalStatementsOfOneQueryAreStoppedTogether() throws SQLException {
    try (Connection client = router.connect("simple")) {
      CompletableFuture<Void> both =
          CompletableFuture.runAsync(
              () -> {
                raise(epoch + 1);
                runUnchecked(client, insert(ON_A, 1) + insert(ON_B, 2));
              });
      await().pollDelay(Duration.ofMillis(200)).until(() -> !both.isDone());
      router.publish(GsiState.WRITE_ONLY);
      both.join();
      assertThat(shards.entries()).hasSize(2);
    }
  }

  @Test
  void oneLateShardOfSeveralStopsTheWholeStatement() throws SQLException {
    shards.ask(B, "SELECT setval('" + SEQUENCE + "', " + (epoch + 1) + ")");
    try (Connection client = router.connect()) {
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () ->
                  runUnchecked(
                      client,
                      "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, 'a'), (%s, 2, 'b')"
                          .formatted(ON_A, ON_B)));
      await().pollDelay(Duration.ofMillis(200)).until(() -> !written.isDone());
      assertThat(shards.owners()).isEmpty();
      router.publish(GsiState.WRITE_ONLY);
      written.join();
      assertThat(shards.entries()).hasSize(2);
    }
  }

  @Test
  void theFirstErrorIsToldThoughItsCancelStopsAFenceElsewhere() throws SQLException {
    try (Connection client = router.connect();
        Connection drain = shards.cluster.asService(B)) {
      run(client, insert(ON_A, 1));
      runUnchecked(drain, exclusive(epoch));
      assertThatThrownBy(
              () ->
                  run(
                      client,
                      "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, 'x'), (%s, 2, 'y')"
                          .formatted(ON_A, ON_B)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("23505"));
      assertThat(shards.ask(B, "SELECT count(*) FROM users")).isEqualTo("0");
    }
  }

  @Test
  void aRouterThatNeverHearsGivesUpAndTheSessionGoesOn() throws SQLException {
    raise(epoch + 1);
    try (Connection client = router.connect()) {
      assertThatThrownBy(() -> run(client, insert(ON_A, 1)))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
      raise(epoch);
      run(client, insert(ON_A, 1));
    }
  }

  @Test
  void aClientMayCancelTheWait() throws Exception {
    raise(epoch + 1);
    try (Connection client = router.connect();
        Statement statement = client.createStatement()) {
      CompletableFuture<Void> written =
          CompletableFuture.runAsync(
              () -> {
                try {
                  statement.execute(insert(ON_A, 1));
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      await().pollDelay(Duration.ofMillis(200)).until(() -> !written.isDone());
      statement.cancel();
      assertThatThrownBy(written::join).hasMessageContaining("canceling statement");
    }
  }

  // --- the lease ---------------------------------------------------------------------------------

  @Test
  void withoutALeaseNothingStartsOnAFencedTable() throws SQLException {
    try (Connection client = router.connect()) {
      run(client, insert(ON_A, 1));
      router.leased = false;
      for (String sql : List.of(insert(ON_A, 2), "SELECT * FROM users WHERE tenant_id = " + ON_A)) {
        assertThatThrownBy(() -> run(client, sql))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57P03"))
            .hasMessageContaining("router/lease-lapsed");
      }
      run(client, "SELECT 1");
      router.leased = true;
      run(client, insert(ON_A, 2));
    }
  }

  @Test
  void theFunctionTrustsNobody() throws SQLException {
    try (Connection client = shards.cluster.asOwner(A)) {
      for (String wrong :
          List.of("'x', 1", "'fence public.users', NULL", "'fence public.users', 0")) {
        assertThatThrownBy(() -> run(client, "SELECT pgconcord.fence(" + wrong + ")"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("PGC01"));
      }
      assertThatThrownBy(() -> run(client, "SELECT setval('" + SEQUENCE + "', 1)"))
          .hasMessageContaining("permission denied");
    }
    try (Connection client = router.connect()) {
      assertThatThrownBy(() -> run(client, "SELECT pgconcord.fence('fence public.users', 9)"))
          .hasMessageContaining("pgconcord");
    }
  }

  // --- tools -------------------------------------------------------------------------------------

  private static String insert(String tenant, int user) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, 'm%d@example.com');"
        .formatted(tenant, user, user);
  }

  private static String exclusive(long epoch) {
    return "SELECT pg_advisory_lock('%s'::regclass::oid::bigint::bit(32)::int, %d)"
        .formatted(SEQUENCE, epoch);
  }

  /** The locks of the table's fence on a shard, epoch and mode. */
  private static String held(ShardId shard) {
    return shards.ask(
        shard,
        "SELECT coalesce(string_agg(objid || ' ' || mode, ','), '') FROM pg_locks WHERE locktype"
            + " = 'advisory' AND objsubid = 2 AND classid = '"
            + SEQUENCE
            + "'::regclass::oid");
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      if (statement.execute(sql)) {
        try (ResultSet rows = statement.getResultSet()) {
          while (rows.next()) {
            rows.getString(1);
          }
        }
      }
    }
  }

  private static void runUnchecked(Connection client, String sql) {
    try {
      run(client, sql);
    } catch (SQLException e) {
      throw new CompletionException(e);
    }
  }
}
