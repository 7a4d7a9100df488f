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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.fixture.UsersByEmail;

/** Copies of a reference table in two-phase commit: all or none, in order, beside other rows. */
class AtomicCopiesIT {
  private static final String ON_B = tenantOf(B, 0);
  private static final String WRITE = "INSERT INTO countries VALUES ('SE', random()::text)";

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
  void twoCountries() {
    shards.empty();
    rig.router.publish(GsiState.ENABLED);
    rig.network.begin(List.of());
    for (var shard : List.of(A, B)) {
      shards.run(shard, "DELETE FROM countries WHERE code NOT IN ('FI', 'FR')");
    }
  }

  @AfterEach
  void nothingIsLeft() {
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(rig.prepared()).isZero();
              assertThat(rig.open()).isZero();
              assertThat(leaderLock()).isZero();
            });
    assertThat(countries(A)).isEqualTo(countries(B));
  }

  // --- whole -----------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void oneStatementWritesAllCopies(String mode) throws SQLException {
    long before = decided();
    try (Connection client = atomic(mode)) {
      run(client, WRITE);
      assertThat(countries(A)).contains("SE").isEqualTo(countries(B));
      run(client, "UPDATE countries SET name = random()::text");
      run(client, "DELETE FROM countries WHERE code = 'SE'");
      run(client, "DELETE FROM countries WHERE code = 'XX'");
    }
    assertThat(decided() - before).as("a write of no row has one participant").isEqualTo(3);
  }

  @Test
  void copiesRowsAndEntriesCommitTogether() throws SQLException {
    try (Connection client = atomic("simple")) {
      run(client, "BEGIN");
      run(client, WRITE);
      run(client, insert(ON_B, "x@example.com"));
      run(client, "SAVEPOINT s");
      run(client, "DELETE FROM countries WHERE code = 'SE'");
      run(client, "ROLLBACK TO s");
      run(client, "COMMIT");
    }
    assertThat(countries(A)).contains("SE");
    assertThat(shards.entries()).isEqualTo(Map.of("x@example.com", ON_B));
  }

  /** A moved key needs two phases in any mode: the copies beside it take part. */
  @Test
  void copiesGoWithAMovedKey() throws SQLException {
    String onA = tenantOf(A, 0);
    try (Connection client = rig.router.connect("simple")) {
      run(client, insert(onA, "x@example.com"));
      run(client, "BEGIN");
      run(client, WRITE);
      run(client, "DELETE FROM users WHERE tenant_id = " + onA);
      run(client, insert(ON_B, "x@example.com"));
      run(client, "COMMIT");
    }
    assertThat(countries(A)).contains("SE");
    assertThat(shards.entries()).isEqualTo(Map.of("x@example.com", ON_B));
  }

  @Test
  void aCopyThatCannotPrepareRollsBackAll() throws SQLException {
    shards.run(B, "CREATE TABLE IF NOT EXISTS checked (code char(2) UNIQUE)");
    shards.run(B, "INSERT INTO checked VALUES ('FI'), ('FR')");
    shards.run(
        B,
        "ALTER TABLE countries ADD CONSTRAINT later FOREIGN KEY (code) REFERENCES checked (code)"
            + " DEFERRABLE INITIALLY DEFERRED");
    try (Connection client = atomic("simple")) {
      run(client, "BEGIN; " + WRITE);
      assertThat(fails(client, "COMMIT").getSQLState()).isEqualTo("23503");
      assertThat(countries(A)).doesNotContain("SE");
    } finally {
      shards.run(B, "ALTER TABLE countries DROP CONSTRAINT later");
    }
  }

  // --- the lock --------------------------------------------------------------------------------

  /** From the statement to the commit of the leader, which is the last, however that comes. */
  @ParameterizedTest
  @EnumSource(StopAt.Step.class)
  void aDeadRouterLeavesAllOrNothingAndTheLockUntilThen(StopAt.Step step) throws Exception {
    Connection client = atomic("simple");
    rig.stops.stopAt(step);
    CompletableFuture<Void> commit = later(client, WRITE);
    rig.stops.awaitStopped();
    rig.endSessions();
    boolean prepared = step == StopAt.Step.BEFORE_DECIDE || step == StopAt.Step.AFTER_DECIDE;
    assertThat(leaderLock()).isEqualTo(prepared ? 1 : 0);
    if (prepared) {
      try (Connection next = rig.router.connect("simple")) {
        run(next, "SET lock_timeout = '100ms'");
        assertThat(fails(next, "UPDATE countries SET name = name").getSQLState())
            .isEqualTo("55P03");
        assertThat(countries(A)).doesNotContain("SE");
      }
    }
    rig.resolveAll();
    assertThat(rig.prepared()).isZero();
    boolean committed = step == StopAt.Step.AFTER_DECIDE;
    assertThat(countries(A).contains("SE")).isEqualTo(committed);
    assertThat(countries(B).contains("SE")).isEqualTo(committed);
    try (Connection next = rig.router.connect("simple")) {
      run(next, "UPDATE countries SET name = name || '!'");
    }
    // It was frozen, not dead: what it does now must change nothing.
    rig.stops.wake();
    commit.handle((done, failure) -> failure).join();
    assertThat(countries(A).contains("SE")).isEqualTo(committed);
    client.close();
  }

  /** The lock is there before each statement that recovery sends: its holder is the last. */
  @Test
  void recoveryCommitsTheLeaderLast() throws Exception {
    try (Connection client = atomic("simple")) {
      rig.stops.stopAt(StopAt.Step.AFTER_DECIDE);
      CompletableFuture<Void> commit = later(client, WRITE);
      rig.stops.awaitStopped();
      Set<String> orders = new HashSet<>();
      rig.resolveAll(ended -> orders.add(ended.part().word() + (leaderLock() == 1 ? "+lock" : "")));
      assertThat(orders).containsExactlyInAnyOrder("main+lock", "lead+lock");
      rig.stops.wake();
      commit.join();
    }
  }

  // --- a link that is cut ----------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aCutAtAnyMessageLeavesAllOrNothing(Direction direction) throws Exception {
    int cuts = 0;
    boolean acted = true;
    for (int message = 1; acted; message++) {
      twoCountries();
      try (Connection client = atomic("simple")) {
        run(client, "BEGIN; " + WRITE);
        run(client, insert(ON_B, "x@example.com"));
        rig.network.begin(List.of(Rule.on(direction).nth(message).then(new Action.Cut())));
        SQLException failure = commit(client);
        acted = rig.network.acted() > 0;
        cuts += acted ? 1 : 0;
        rig.network.begin(List.of());
        rig.resolveAll();
        String as = "message " + message + ": " + failure;
        assertThat(rig.prepared()).as(as).isZero();
        assertThat(countries(A)).as(as).isEqualTo(countries(B));
        boolean written = countries(A).contains("SE");
        assertThat(shards.owners().isEmpty()).as(as).isEqualTo(!written);
        if (failure == null) {
          assertThat(written).as(as).isTrue();
        } else if (!"08007".equals(failure.getSQLState())) {
          assertThat(written).as(as).isFalse();
        }
      }
    }
    System.out.println("cuts=" + cuts + " direction=" + direction);
    assertThat(cuts).isGreaterThan(10);
  }

  // --- tools -----------------------------------------------------------------------------------

  /** How many transactions hold it, prepared ones too. */
  private static int leaderLock() {
    long key = LeaderLock.of("app", UsersByEmail.COUNTRIES);
    return Integer.parseInt(
        shards.ask(
            A,
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid ="
                + " 1 AND (classid::bigint << 32 | objid::bigint) = "
                + key));
  }

  private static String countries(org.pgconcord.config.value.ShardId shard) {
    return shards.ask(shard, "SELECT string_agg(c::text, ';' ORDER BY code) FROM countries c");
  }

  private static Connection atomic(String mode) throws SQLException {
    Connection client = rig.router.connect(mode);
    run(client, "SET pgconcord.tx_mode = atomic");
    return client;
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

  private static long decided() {
    return Long.parseLong(shards.ask(A, "SELECT count(*) FROM pgconcord.decision"));
  }

  private static String insert(String tenant, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, '%s')"
        .formatted(tenant, email);
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
