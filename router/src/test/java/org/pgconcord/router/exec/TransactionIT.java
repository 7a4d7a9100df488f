package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Transactions over two shards as a client writes them: modes, savepoints, settings, failures. */
class TransactionIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String OTHER_ON_A = tenantOf(A, 1);
  private static final String OTHER_ON_B = tenantOf(B, 1);
  private static final String X = "x@example.com";
  private static final String Y = "y@example.com";

  private static LiveRouter router;
  private static Shards shards;

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
    router.publish(GsiState.ENABLED);
  }

  @AfterEach
  void nothingIsLeftOpen() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              for (ShardId shard : List.of(A, B)) {
                assertThat(
                        shards.ask(
                            shard,
                            "SELECT count(*) FROM pg_stat_activity WHERE usename IN ('demo',"
                                + " 'pgconcord') AND state LIKE 'idle in transaction%'"))
                    .isEqualTo("0");
              }
            });
    shards
        .owners()
        .forEach(
            (email, tenants) -> assertThat(shards.entries()).containsEntry(email, tenants.get(0)));
  }

  // --- modes -----------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aTransactionWritesSeveralShards(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      client.setAutoCommit(false);
      run(client, insert(ON_A, 1, X));
      run(client, insert(ON_B, 1, Y));
      assertThat(rows(client, "SELECT tenant_id FROM users WHERE email = '" + Y + "'"))
          .containsExactly(ON_B);
      client.commit();
      assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, Y, ON_B));
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
      run(client, "UPDATE users SET name = 'n' WHERE tenant_id = " + ON_B);
      client.rollback();
      assertThat(shards.owners()).hasSize(2);
      assertThat(shards.entries()).hasSize(2);
    }
  }

  @Test
  void severalStatementsOfOneQueryAreOneTransactionOverShards() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, insert(ON_A, 1, X) + ";" + insert(ON_B, 1, Y));
      assertThat(shards.entries()).hasSize(2);
      fails(
          client,
          "DELETE FROM users WHERE tenant_id = " + ON_A + ";" + insert(ON_B, 1, "third"),
          "23505");
      assertThat(shards.owners()).hasSize(2);
    }
  }

  @Test
  void aQueryWithAStatementThatIsNoneRunsNothing() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (String wrong : List.of("SELEC 1", "ROLLBACK TO", "BEGIN ISOLATION LEVEL none")) {
        fails(client, insert(ON_A, 1, X) + "; COMMIT; " + wrong, "42601");
      }
      fails(client, insert(ON_A, 1, X) + "; COMMIT; SELECT FROM WHERE users ((", "0A000", "42601");
      assertThat(shards.owners()).isEmpty();
      run(client, insert(ON_A, 1, X) + "; COMMIT; SELECT 1");
      assertThat(shards.owners()).hasSize(1);
    }
  }

  @Test
  void singleRefusesASecondShard() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = single");
      run(client, "BEGIN");
      run(client, insert(ON_A, 1, X));
      ServerErrorMessage error = fails(client, insert(ON_B, 1, Y), "0A000");
      assertThat(error.getMessage()).contains("shard-a");
      assertThat(error.getDetail()).contains("shard-b");
      run(client, "ROLLBACK");
      assertThat(shards.owners()).isEmpty();
    }
  }

  @Test
  void aWriteUndoneByASavepointDoesNotCountInSingleMode() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode TO 'SINGLE'; BEGIN; SAVEPOINT s");
      run(client, insert(ON_A, 1, X));
      run(client, "ROLLBACK TO s");
      run(client, insert(ON_B, 1, X));
      run(client, "COMMIT");
      assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
    }
  }

  @Test
  void theModeIsASettingLikeOthers() throws SQLException {
    try (Connection client = router.connect("simple")) {
      String show = "SHOW pgconcord.tx_mode";
      assertThat(rows(client, show)).containsExactly("multi");
      run(client, "BEGIN; SET pgconcord.tx_mode = single; ROLLBACK");
      assertThat(rows(client, show)).containsExactly("multi");
      run(client, "BEGIN; SET LOCAL pgconcord.tx_mode = single");
      assertThat(rows(client, show)).containsExactly("single");
      run(client, "COMMIT");
      assertThat(rows(client, show)).containsExactly("multi");
      run(client, "SET pgconcord.tx_mode = single");
      run(client, "RESET pgconcord.tx_mode");
      assertThat(rows(client, show)).containsExactly("multi");
      run(client, "SET pgconcord.tx_mode = single");
      run(client, "DISCARD ALL");
      assertThat(rows(client, show)).containsExactly("multi");
    }
    try (Connection client = router.connect("simple", "options", "-c pgconcord.tx_mode=single")) {
      assertThat(rows(client, "SHOW pgconcord.tx_mode")).containsExactly("single");
      run(client, "SET pgconcord.tx_mode = multi");
      run(client, "RESET ALL");
      assertThat(rows(client, "SHOW pgconcord.tx_mode")).containsExactly("single");
    }
  }

  @Test
  void misspeltSettingsAreErrorsWithASuggestion() throws SQLException {
    try (Connection client = router.connect("simple")) {
      assertThat(fails(client, "SET pgconcord.tx_mod = 'multi'", "42704").getMessage())
          .contains("did you mean \"pgconcord.tx_mode\"?");
      assertThat(fails(client, "SHOW pgconcord.txmode", "42704").getMessage())
          .contains("did you mean");
      fails(client, "RESET pgconcord.nonsense", "42704");
      assertThat(fails(client, "SET pgconcord.tx_mode = mutli", "22023").getMessage())
          .contains("did you mean \"multi\"?");
    }
    for (String options : List.of("-c pgconcord.tx_mod=multi", "--pgconcord.tx-mode=nothing")) {
      assertThatThrownBy(() -> router.connect("simple", "options", options))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("pgconcord.tx_mod");
    }
  }

  // --- savepoints ------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aSavepointHoldsOnAllShardsAndForEntries(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      client.setAutoCommit(false);
      run(client, insert(ON_A, 1, X));
      Savepoint savepoint = client.setSavepoint("Odd \"name\"");
      run(client, insert(ON_B, 1, Y));
      run(client, insert(ON_A, 2, "z"));
      client.rollback(savepoint);
      assertThat(rows(client, "SELECT email FROM users")).containsExactly(X);
      assertThat(rows(client, "SELECT email FROM users WHERE email = '" + Y + "'")).isEmpty();
      run(client, insert(ON_B, 2, "z"));
      client.releaseSavepoint(savepoint);
      client.commit();
      assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, "z", ON_B));
    }
  }

  @Test
  void aFailedStatementIsUndoneBySavepointWhereverItFailed() throws SQLException {
    shards.run(A, "INSERT INTO users VALUES (" + ON_A + ", 9, '" + X + "')");
    shards.run(A, "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_A + ")");
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN");
      run(client, insert(ON_B, 1, Y));
      run(client, "SAVEPOINT s");
      assertThat(fails(client, insert(ON_B, 2, X), "23505").getConstraint()) // the index says so
          .isEqualTo("by_email");
      fails(client, "SELECT 1", "25P02");
      fails(client, "SAVEPOINT t", "25P02");
      run(client, "ROLLBACK TO SAVEPOINT s");
      fails(client, insert(ON_A, 3, X), "23505"); // the shard says so
      run(client, "ROLLBACK TO s");
      fails(client, "SELECT ctid FROM users", "0A000"); // the planner says so
      run(client, "ROLLBACK WORK TO s");
      run(client, insert(ON_B, 2, "z"));
      run(client, "COMMIT");
      assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, Y, ON_B, "z", ON_B));
    }
  }

  @Test
  void savepointsOfOneNameNest() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN; SAVEPOINT s");
      run(client, insert(ON_A, 1, X));
      run(client, "SAVEPOINT s");
      run(client, insert(ON_B, 1, Y));
      run(client, "ROLLBACK TO s");
      run(client, "RELEASE s");
      assertThat(rows(client, "SELECT email FROM users")).containsExactly(X);
      run(client, "ROLLBACK TO s");
      assertThat(rows(client, "SELECT email FROM users")).isEmpty();
      run(client, "RELEASE SAVEPOINT s");
      fails(client, "ROLLBACK TO s", "3B001");
      run(client, "ROLLBACK");
      fails(client, "SAVEPOINT s", "25P01");
      fails(client, "RELEASE s", "25P01");
      fails(client, "ROLLBACK TO s", "25P01");
    }
  }

  /**
   * An entry without a row is taken over for a row that is undone, and wanted again: by a row on
   * the lookup's own server or on another, of its former holder or not.
   */
  @Test
  void aTakenOverEntryIsFreeAgainBehindTheSavepoint() throws SQLException {
    for (String surplus : List.of(ON_A, OTHER_ON_B)) {
      for (String undone : List.of(ON_A, ON_B)) {
        for (String kept : List.of(OTHER_ON_A, ON_B)) {
          shards.empty();
          shards.run(A, "INSERT INTO users_by_email VALUES ('%s', %s)".formatted(X, surplus));
          try (Connection client = router.connect("simple")) {
            run(client, "BEGIN; SAVEPOINT s");
            run(client, insert(undone, 1, X));
            run(client, "DELETE FROM users WHERE tenant_id = " + undone);
            run(client, insert(undone, 3, X));
            run(client, "ROLLBACK TO s");
            run(client, insert(kept, 2, X));
            run(client, "COMMIT");
          }
          assertThat(shards.owners()).isEqualTo(Map.of(X, List.of(kept)));
          assertThat(shards.entries()).isEqualTo(Map.of(X, kept));
        }
      }
    }
  }

  @Test
  void settingsGoBackWithTheSavepointOnEveryShard() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN");
      run(client, "SET application_name = 'one'");
      run(client, "SAVEPOINT s");
      run(client, "SET application_name = 'two'; SET pgconcord.tx_mode = single");
      for (String tenant : List.of(ON_A, ON_B)) {
        assertThat(rows(client, setting(tenant))).isEqualTo(List.of("two"));
      }
      run(client, "ROLLBACK TO s");
      for (String tenant : List.of(ON_A, ON_B)) {
        assertThat(rows(client, setting(tenant))).isEqualTo(List.of("one"));
      }
      assertThat(rows(client, "SHOW pgconcord.tx_mode")).containsExactly("multi");
      run(client, insert(ON_A, 1, X));
      run(client, insert(ON_B, 1, Y));
      run(client, "COMMIT");
      for (String tenant : List.of(ON_A, ON_B)) {
        assertThat(rows(client, setting(tenant))).isEqualTo(List.of("one"));
      }
    }
  }

  /** One row of the tenant's shard, whatever the table holds. */
  private static String setting(String tenant) {
    return "SELECT coalesce(max(current_setting('application_name')),"
        + " current_setting('application_name')) FROM users WHERE tenant_id = "
        + tenant;
  }

  @Test
  void aSavepointForEveryStatementCostsNoMemory() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN");
      for (int i = 0; i < 200; i++) {
        run(client, "SAVEPOINT s");
        run(client, insert(i % 2 == 0 ? ON_A : ON_B, i, "m" + i));
        run(client, i % 3 == 0 ? "ROLLBACK TO s; RELEASE s" : "RELEASE s");
      }
      run(client, "COMMIT");
      assertThat(shards.entries()).hasSize(133);
    }
  }

  @Test
  void aLostShardLeavesOnlyRollback() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "BEGIN");
      run(client, insert(ON_A, 1, X));
      run(client, "SAVEPOINT s");
      run(client, insert(ON_B, 1, Y));
      terminate(B);
      SQLException lost = error(client, "ROLLBACK TO s");
      assertThat(lost.getSQLState()).startsWith("08");
      fails(client, "SELECT 1", "25P02");
      run(client, "ROLLBACK");
      assertThat(shards.owners()).isEmpty();
      run(client, insert(ON_B, 1, Y));
      assertThat(shards.entries()).containsEntry(Y, ON_B);
    }
  }

  // --- uneven ends -----------------------------------------------------------------------------

  /** As on one server the session ends; with it go entries on shards that count no such time. */
  @Test
  void aTransactionThatIsIdleForTooLongEndsTheSessionAndHoldsNothing() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "SET idle_in_transaction_session_timeout = '500ms'");
      client.setAutoCommit(false);
      run(client, insert(ON_B, 1, X));
      nothingIsLeftOpen();
      SQLException ended =
          catchThrowableOfType(SQLException.class, () -> run(client, insert(ON_B, 2, Y)));
      assertThat(ended.getSQLState()).isEqualTo("25P03");
      assertThat(client.isClosed()).isTrue();
    }
    assertThat(shards.owners()).isEmpty();
  }

  /** Shard a's COMMIT waits for a standby that is not there while shard b's backend is ended. */
  @Test
  void aPartialCommitNamesEachShardAndIsCounted() throws Exception {
    double partial = counted("pgconcord.router.commits.partial");
    try (Connection client = router.connect("simple")) {
      run(client, insert(ON_A, 1, X) + ";" + insert(ON_B, 1, Y));
      run(client, "BEGIN");
      run(client, "UPDATE users SET name = 'new' WHERE tenant_id = " + ON_A);
      run(client, "UPDATE users SET name = 'new' WHERE tenant_id = " + ON_B);
      standby("nobody");
      CompletableFuture<ServerErrorMessage> commit =
          CompletableFuture.supplyAsync(() -> fails(client, "COMMIT", "2D000"));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  shards
                      .ask(A, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                      .equals("1"));
      terminate(B);
      standby("");
      ServerErrorMessage error = commit.get();
      assertThat(error.getMessage()).contains("shard-a");
      assertThat(error.getDetail()).contains("shard-a: committed; shard-b: rolled back");
      assertThat(error.getHint()).contains("detail");
      assertThat(rows(client, "SELECT coalesce(name, 'old') FROM users"))
          .containsExactlyInAnyOrder("new", "old");
    } finally {
      standby("");
    }
    assertThat(counted("pgconcord.router.commits.partial")).isEqualTo(partial + 1);
  }

  private static void standby(String name) {
    shards.run(A, "ALTER SYSTEM SET synchronous_standby_names = '" + name + "'");
    shards.run(A, "SELECT pg_reload_conf()");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> shards.ask(A, "SHOW synchronous_standby_names").equals(name));
  }

  private static double counted(String name) {
    return router.registry.get(name).counter().count();
  }

  private static void terminate(ShardId shard) {
    shards.ask(
        shard,
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE usename = 'demo'"
            + " AND backend_type = 'client backend'");
  }

  // --- the client ------------------------------------------------------------------------------

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, email);
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static ServerErrorMessage fails(Connection client, String sql, String... states) {
    PSQLException error = (PSQLException) error(client, sql);
    assertThat(error.getSQLState()).as(sql + ": " + error.getMessage()).isIn((Object[]) states);
    return error.getServerErrorMessage();
  }

  private static SQLException error(Connection client, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }
}
