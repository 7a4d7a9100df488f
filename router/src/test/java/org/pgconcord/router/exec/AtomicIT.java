package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Two-phase commit over two shards as a client sees it, and what is left after each cut. */
class AtomicIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String X = "x@example.com";
  private static final String Y = "y@example.com";
  private static final Map<String, String> BEFORE = Map.of(X, ON_A, Y, ON_B);
  private static final Map<String, String> SWAPPED = Map.of(X, ON_B, Y, ON_A);

  private static AtomicRig rig;
  private static Shards shards;

  @BeforeAll
  static void start() throws SQLException {
    rig = new AtomicRig();
    shards = rig.shards;
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void empty() {
    shards.empty();
    rig.router.publish(GsiState.ENABLED);
    rig.network.begin(List.of());
  }

  @AfterEach
  void nothingIsLeft() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(rig.prepared()).isZero();
              assertThat(rig.open()).isZero();
            });
    entriesAreTrue();
  }

  private static void entriesAreTrue() {
    shards
        .owners()
        .forEach(
            (email, tenants) -> {
              assertThat(tenants).as(email).hasSize(1);
              assertThat(shards.entries()).containsEntry(email, tenants.get(0));
            });
  }

  // --- whole -----------------------------------------------------------------------------------

  @Test
  void rowsAndEntriesOfTwoShardsCommitTogether() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = atomic");
      run(client, "BEGIN");
      run(client, insert(ON_A, 1, X));
      run(client, insert(ON_B, 1, Y));
      run(client, "COMMIT");
      assertThat(shards.entries()).isEqualTo(BEFORE);
      run(client, "BEGIN");
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
      run(client, "COMMIT");
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
      run(client, "BEGIN; " + insert(ON_A, 1, X) + "; " + insert(ON_B, 1, Y) + "; ROLLBACK");
      assertThat(shards.owners()).isEmpty();
    }
    assertThat(decided("commit")).isPositive();
  }

  @Test
  void oneShardAloneCommitsPlainly() throws SQLException {
    long before = decided("commit");
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = atomic");
      run(client, "BEGIN");
      run(client, insert(ON_A, 1, X));
      run(client, "SELECT name FROM users");
      run(client, "COMMIT");
    }
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A));
    assertThat(decided("commit")).isEqualTo(before);
  }

  @Test
  void aShardThatCannotPrepareRollsBackAll() throws SQLException {
    shards.run(B, "CREATE TABLE IF NOT EXISTS heard (v int)");
    shards.run(
        B,
        "CREATE OR REPLACE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN PERFORM pg_notify(''c'', ''p''); RETURN NEW; END'");
    shards.run(
        B, "CREATE TRIGGER tells AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION tell()");
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = atomic");
      run(client, "BEGIN");
      run(client, insert(ON_A, 1, X));
      run(client, insert(ON_B, 1, Y));
      assertThat(fails(client, "COMMIT").getMessage()).contains("NOTIFY");
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
      run(client, insert(ON_A, 1, X));
    } finally {
      shards.run(B, "DROP TRIGGER tells ON users");
    }
  }

  @Test
  void withoutPreparedTransactionsTheSecondShardAndAMoveAreRefusedAtTheirStatement()
      throws SQLException {
    rig.refusing.set(Set.of(new ShardId("shard-b")));
    try (Connection client = rig.router.connect("simple")) {
      run(client, insert(ON_A, 1, X));
      run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_A);
      assertThat(fails(client, insert(ON_B, 1, X)).getSQLState()).isEqualTo("0A000");
      run(client, "ROLLBACK; SET pgconcord.tx_mode = atomic");
      run(client, "BEGIN");
      run(client, insert(ON_A, 2, "two@example.com"));
      assertThat(fails(client, insert(ON_B, 1, Y)).getMessage())
          .contains("shard-b takes no prepared transactions", "shard-a");
      run(client, "ROLLBACK");
    } finally {
      rig.refusing.set(Set.of());
    }
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A));
  }

  /** Whether PRE holds its entry or MAIN on the lookup's own server: POST cannot have it. */
  @Test
  void aKeyThatWasWrittenIsNotMovedAndNobodyIsSentToTheServersSettings() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "BEGIN; " + insert(ON_A, 1, X));
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
      isNotMoved(client, insert(ON_B, 1, X));
      run(client, insert(ON_B, 1, X));
      run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_B);
      run(client, insert(ON_B, 2, X));
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
      isNotMoved(client, insert(ON_A, 1, X));
    }
  }

  private static void isNotMoved(Connection client, String insert) throws SQLException {
    assertThat(fails(client, insert).getMessage())
        .contains("[gsi/move-needs-atomic]", "Hint: Commit before")
        .doesNotContain("max_prepared_transactions");
    run(client, "ROLLBACK");
  }

  /** Its entry stays with POST, which gives it up when the row goes after all. */
  @Test
  void aKeyIsDeletedInsertedAndDeletedAgain() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      plant(client);
      run(client, "SET pgconcord.tx_mode = atomic");
      for (boolean keeps : new boolean[] {true, false}) {
        run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_B);
        run(client, insert(ON_B, 7, Y));
        assertThat(tenants(client, Y)).containsExactly(ON_B);
        if (!keeps) {
          run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
          assertThat(tenants(client, Y)).isEmpty();
        }
        run(client, "COMMIT");
        assertThat(shards.entries()).isEqualTo(keeps ? BEFORE : Map.of(X, ON_A));
      }
    }
  }

  // --- keys that change their tenant -----------------------------------------------------------

  @Test
  void aKeyMovesToAnotherTenantInOneTransactionInAnyMode() throws SQLException {
    try (Connection client = rig.router.connect("extended")) {
      run(client, insert(ON_A, 1, X));
      client.setAutoCommit(false);
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
      run(client, insert(ON_B, 1, X));
      assertThat(tenants(client, X)).containsExactly(ON_B);
      client.commit();
      assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
      assertThat(tenants(client, X)).containsExactly(ON_B);
      client.commit();
    }
  }

  @Test
  void twoKeysAreSwapped() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      plant(client);
      swap(client);
      run(client, "COMMIT");
    }
    assertThat(shards.entries()).isEqualTo(SWAPPED);
  }

  @Test
  void aMoveUndoneByASavepointIsNone() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      plant(client);
      run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_A + "; SAVEPOINT s");
      run(client, insert(ON_B, 2, X));
      run(client, "ROLLBACK TO s");
      run(client, insert(ON_A, 2, X));
      run(client, "COMMIT");
    }
    assertThat(shards.entries()).isEqualTo(BEFORE);
  }

  @Test
  void aMovedKeyThatGoesAfterAllIsRemoved() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      plant(client);
      run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_A);
      run(client, insert(ON_B, 2, X));
      run(client, "DELETE FROM users WHERE user_id = 2 AND tenant_id = " + ON_B);
      run(client, "COMMIT");
    }
    assertThat(shards.entries()).isEqualTo(Map.of(Y, ON_B));
  }

  /** The reader of the model: it must find the key, or wait, at every moment. */
  @Test
  void aReaderFollowsAMoveThatIsUnderWay() throws Exception {
    try (Connection client = rig.router.connect("simple");
        Connection reader = rig.router.connect("simple")) {
      run(client, insert(ON_A, 1, X));
      run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_A);
      run(client, insert(ON_B, 1, X));
      rig.stops.stopAt(StopAt.Step.AFTER_DECIDE);
      CompletableFuture<Void> commit = later(client, "COMMIT");
      rig.stops.awaitStopped();
      assertThat(tenants(reader, X)).containsExactly(ON_A);
      rig.stops.wake();
      commit.join();
      assertThat(tenants(reader, X)).containsExactly(ON_B);
    }
  }

  // --- rows that are locked only ---------------------------------------------------------------

  /** Rows that were locked for the sake of others are prepared too: the lock outlives a router. */
  @Test
  void locksLastUntilAllIsCommitted() throws Exception {
    Connection client = rig.router.connect("simple");
    run(client, insert(ON_A, 1, X));
    run(client, "SET pgconcord.tx_mode = atomic; BEGIN");
    run(client, "SELECT 1 FROM users WHERE user_id < 5 FOR NO KEY UPDATE");
    run(client, insert(ON_B, 1, Y));
    rig.stops.stopAt(StopAt.Step.AFTER_DECIDE);
    CompletableFuture<Void> commit = later(client, "COMMIT");
    rig.stops.awaitStopped();
    rig.endSessions();
    String locked = "WITH f AS (SELECT 1 FROM users FOR SHARE SKIP LOCKED) SELECT count(*) FROM f";
    assertThat(shards.ask(A, locked)).isEqualTo("0");
    rig.resolveAll();
    assertThat(shards.ask(A, locked)).isEqualTo("1");
    assertThat(shards.entries()).isEqualTo(BEFORE);
    rig.stops.wake();
    commit.handle((done, failure) -> failure).join();
    client.close();
  }

  @Test
  void rowsAreNotLockedWhereNothingCanBePrepared() throws SQLException {
    rig.refusing.set(Set.of(A));
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = atomic; BEGIN");
      assertThat(fails(client, "SELECT 1 FROM users FOR UPDATE").getMessage())
          .contains("tx/atomic-refused");
    } finally {
      rig.refusing.set(Set.of());
    }
  }

  // --- a router that stops ---------------------------------------------------------------------

  /** What is committed in two phases when its router stops. */
  enum Stopped {
    SWAP {
      @Override
      Map<String, String> after() {
        return SWAPPED;
      }

      @Override
      void write(Connection client) throws SQLException {
        swap(client);
      }
    },
    EXCHANGE_BY_KEYS {
      @Override
      Map<String, String> after() {
        return SWAPPED;
      }

      @Override
      void write(Connection client) throws SQLException {
        run(
            client,
            "BEGIN; UPDATE users SET email = CASE email WHEN '%1$s' THEN '%2$s' ELSE '%1$s' END WHERE email IN ('%1$s', '%2$s')"
                .formatted(X, Y));
      }
    },
    DELETE_BY_KEYS {
      @Override
      Map<String, String> after() {
        return Map.of();
      }

      @Override
      void write(Connection client) throws SQLException {
        run(client, "BEGIN; DELETE FROM users WHERE email IN ('%s', '%s')".formatted(X, Y));
      }
    },
    UPSERT {
      @Override
      Map<String, String> after() {
        return Map.of("v", ON_A, "w", ON_B, "z", ON_B);
      }

      @Override
      void write(Connection client) throws SQLException {
        run(
            client,
            "BEGIN; INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, 'v'), (%2$s, 1, 'w'), (%2$s, 2, 'z') ON CONFLICT (tenant_id, user_id) DO UPDATE SET email = EXCLUDED.email"
                .formatted(ON_A, ON_B));
      }
    },
    COPY {
      @Override
      Map<String, String> after() {
        return Map.of(X, ON_A, Y, ON_B, "v", ON_A, "w", ON_B);
      }

      @Override
      void write(Connection client) throws SQLException {
        run(client, "BEGIN");
        WriteForm.run(
            client,
            "COPY users (tenant_id, user_id, email) FROM STDIN\n%s\t2\tv\n%s\t2\tw\n"
                .formatted(ON_A, ON_B));
      }
    };

    /** The entries of the rows that it ends with. */
    abstract Map<String, String> after();

    /** In a transaction that it begins; rows of X and Y are there. */
    abstract void write(Connection client) throws SQLException;
  }

  static Stream<Arguments> stops() {
    return Arrays.stream(Stopped.values())
        .flatMap(what -> Arrays.stream(StopAt.Step.values()).map(step -> arguments(what, step)));
  }

  @ParameterizedTest
  @MethodSource("stops")
  void aDeadRoutersCommitIsAllOrNothing(Stopped what, StopAt.Step step) throws Exception {
    rig.router.publish(UsersByEmail.extended(), GsiState.ENABLED);
    Map<String, String> end = step == StopAt.Step.AFTER_DECIDE ? what.after() : BEFORE;
    Connection client = rig.router.connect("simple");
    plant(client);
    run(client, "SET pgconcord.tx_mode = atomic");
    what.write(client);
    rig.stops.stopAt(step);
    CompletableFuture<Void> commit = later(client, "COMMIT");
    rig.stops.awaitStopped();
    rig.endSessions();
    rig.resolveAll();
    assertThat(rig.prepared()).isZero();
    assertThat(shards.entries()).isEqualTo(end);
    entriesAreTrue();
    // It was frozen, not dead: what it does now must change nothing.
    rig.stops.wake();
    commit.handle((done, failure) -> failure).join();
    assertThat(shards.entries()).isEqualTo(end);
    client.close();
  }

  @Test
  void aFrozenRouterThatWakesAfterTheAbortTellsSo() throws Exception {
    try (Connection client = rig.router.connect("simple")) {
      plant(client);
      swap(client);
      rig.stops.stopAt(StopAt.Step.BEFORE_DECIDE);
      CompletableFuture<SQLException> commit =
          CompletableFuture.supplyAsync(() -> fails(client, "COMMIT"));
      rig.stops.awaitStopped();
      assertThat(rig.prepared()).isEqualTo(3);
      rig.resolveAll();
      rig.stops.wake();
      assertThat(commit.join().getSQLState()).isEqualTo("40000");
      assertThat(shards.entries()).isEqualTo(BEFORE);
    }
  }

  // --- a link that is cut ----------------------------------------------------------------------

  /**
   * At every other message of the commit, either way, from one of the first two on: a step has a
   * message for each of three parts. What the client is told must be true.
   */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void aCutAtAMessageLeavesAllOrNothing(Direction direction) throws Exception {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    System.out.println("cuts at every other message, -Dpgconcord.seed=" + seed);
    cut(direction, 1 + new Random(seed).nextInt(2), 2);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  @Tag("long")
  void aCutAtAnyMessageLeavesAllOrNothing(Direction direction) throws Exception {
    cut(direction, 1, 1);
  }

  private static void cut(Direction direction, int first, int stride) throws Exception {
    int cuts = 0;
    boolean acted = true;
    for (int message = first; acted; message += stride) {
      shards.empty();
      rig.network.begin(List.of());
      try (Connection client = rig.router.connect("simple")) {
        plant(client);
        swap(client);
        rig.network.begin(List.of(Rule.on(direction).nth(message).then(new Action.Cut())));
        SQLException failure = commit(client);
        acted = rig.network.acted() > 0;
        cuts += acted ? 1 : 0;
        rig.network.begin(List.of());
        rig.resolveAll();
        checkOutcome(message, failure);
      }
    }
    System.out.println("cuts=" + cuts + " direction=" + direction);
    assertThat(cuts).isGreaterThan(10);
  }

  /** In multi a cut can leave one shard's part; then the catalog has who, where and how. */
  @Test
  void anUnevenEndInMultiIsKeptInTheCatalog() throws Exception {
    SQLException failure = null;
    for (int message = 1; message < 40 && !uneven(failure); message++) {
      shards.empty();
      rig.network.begin(List.of());
      try (Connection client = rig.router.connect("simple")) {
        run(client, "BEGIN; " + insert(ON_A, 1, X) + "; " + insert(ON_B, 1, Y));
        rig.network.begin(
            List.of(Rule.on(Direction.TO_CLIENT).nth(message).then(new Action.Cut())));
        failure = commit(client);
      }
    }
    rig.network.begin(List.of());
    assertThat(uneven(failure)).as("%s", failure).isTrue();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(
                        shards.ask(
                            A,
                            "SELECT count(*) FROM pgconcord.partial_commit WHERE role = 'demo' AND"
                                + " database = 'app' AND shards @> '{shard-a,shard-b}' AND outcomes"
                                + " && '{unknown,committed}'"))
                    .isEqualTo("1"));
  }

  private static boolean uneven(@Nullable SQLException failure) {
    return failure != null && List.of("08007", "2D000").contains(failure.getSQLState());
  }

  private static void checkOutcome(int message, SQLException failure) {
    Map<String, String> entries = shards.entries();
    assertThat(rig.prepared()).as("prepared, message " + message).isZero();
    entriesAreTrue();
    if (failure == null) {
      assertThat(entries).as("success, message " + message).isEqualTo(SWAPPED);
    } else if (!"08007".equals(failure.getSQLState())) {
      assertThat(entries).as("failure, message " + message + ": " + failure).isEqualTo(BEFORE);
    } else {
      assertThat(entries).isIn(BEFORE, SWAPPED);
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  private static void plant(Connection client) throws SQLException {
    run(client, insert(ON_A, 1, X));
    run(client, insert(ON_B, 1, Y));
  }

  /** In an open transaction: both rows go, and come again with each other's key. */
  private static void swap(Connection client) throws SQLException {
    run(client, "BEGIN");
    run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
    run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
    run(client, insert(ON_A, 1, Y));
    run(client, insert(ON_B, 1, X));
  }

  private static CompletableFuture<Void> later(Connection client, String sql) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            run(client, sql);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Null after success. */
  @SuppressWarnings("NullAway")
  private static SQLException commit(Connection client) {
    return catchThrowableOfType(SQLException.class, () -> run(client, "COMMIT"));
  }

  private static SQLException fails(Connection client, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }

  private static long decided(String decision) {
    return Long.parseLong(
        shards.ask(
            A, "SELECT count(*) FROM pgconcord.decision WHERE decision = '" + decision + "'"));
  }

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, email);
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> tenants(Connection client, String email) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT tenant_id FROM users WHERE email = '" + email + "'")) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }
}
