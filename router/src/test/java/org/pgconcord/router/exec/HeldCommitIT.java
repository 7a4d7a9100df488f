package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Gate;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.fixture.UsersByEmail;

/**
 * A server that dies between the two phases. A key moves from the shard that dies: while its row's
 * deletion is prepared there, a read by the key finds the former row, so nobody may have been told
 * that the move is committed.
 */
class HeldCommitIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String X = "x@example.com";

  /** What a shard is allowed that hangs. */
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private static final String MAIN_ON_B =
      "SELECT pid FROM pg_stat_activity WHERE usename = 'demo' AND state = 'idle in transaction'";

  private static AtomicRig rig;
  private static Shards shards;

  @BeforeAll
  static void start() throws SQLException {
    rig =
        new AtomicRig(
            UsersByEmail.declared(false),
            settings -> settings.withAnswerTimeout(LIMIT).withConnectTimeout(LIMIT));
    shards = rig.shards;
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void plant() throws SQLException {
    rig.router.publish(GsiState.ENABLED);
    shards.empty();
    try (Connection client = rig.router.connect("simple")) {
      run(client, insert(ON_B, X));
    }
  }

  @AfterEach
  void nothingIsLeft() {
    shards.cluster.shard(B).thaw();
    rig.network.begin(List.of());
    assertThat(rig.prepared()).isZero();
    assertThat(rig.open()).isZero();
    assertThat(shards.entries()).containsOnlyKeys(X);
    assertThat(shards.owners()).isEqualTo(Map.of(X, List.of(shards.entries().get(X))));
  }

  @Test
  void theAnswerIsHeldUntilEveryPartHasCommitted() throws Exception {
    rig.held.set(Duration.ofSeconds(30));
    try (Connection client = rig.router.connect("simple")) {
      CompletableFuture<Optional<SQLException>> commit = moveWhileBDies(client);
      int asked = rig.handedOver();
      await().atMost(Duration.ofSeconds(20)).until(() -> rig.handedOver() > asked + 2);
      assertThat(commit).isNotDone();
      shards.startAgain(B);
      assertThat(commit.join()).isEmpty();
      assertThat(tenants(client)).containsExactly(ON_A);
    }
  }

  @Test
  void aShardThatStaysDownIsNamedAndNoSuccessIsTold() throws Exception {
    rig.held.set(Duration.ofSeconds(1));
    try (Connection client = rig.router.connect("simple");
        Connection other = rig.router.connect("simple")) {
      SQLException told = moveWhileBDies(client).join().orElseThrow();
      assertThat(told.getSQLState()).isEqualTo("08007");
      assertThat(told.getMessage())
          .contains("[tx/commit-pending]", "decided: commit", "shard-b", "Do not run it again");
      // Its key leads to the shard that is down, and is nobody's until that is back.
      assertThat((Throwable) failure(other, "SELECT name FROM users WHERE email = '" + X + "'"))
          .isNotNull();
      shards.startAgain(B);
      rig.resolveAll();
      assertThat(tenants(other)).containsExactly(ON_A);
      assertThat(tenants(client)).containsExactly(ON_A);
    }
  }

  // --- a server that hangs ----------------------------------------------------------------------

  @Test
  void aServerThatHangsBeforeTheDecisionRollsAllBack() throws Exception {
    try (Connection client = rig.router.connect("simple");
        Connection other = rig.router.connect("simple")) {
      AtomicReference<String> main = new AtomicReference<>("");
      SQLException told =
          moveWhile(
                  client,
                  StopAt.Step.AFTER_REGISTER,
                  () -> {
                    main.set(shards.ask(B, MAIN_ON_B));
                    shards.cluster.shard(B).freeze();
                  })
              .get(60, TimeUnit.SECONDS)
              .orElseThrow();
      assertThat(told.getSQLState()).isEqualTo("40000");
      assertThat(told.getMessage()).contains("[tx/rolled-back]", "shard-b", "2000 ms");
      // The key's entry on the other shard is free, and the session works on.
      run(other, insert(ON_A, "y@example.com"));
      run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
      shards.cluster.shard(B).thaw();
      // It finds the PREPARE, does it, and only then that its client is gone.
      await().atMost(Duration.ofSeconds(60)).until(() -> !runs(String.valueOf(main.get())));
      rig.sweep();
      assertThat(tenants(client)).containsExactly(ON_B);
    }
  }

  private static boolean runs(String processId) {
    return !shards
        .ask(B, "SELECT count(*) FROM pg_stat_activity WHERE pid = " + processId)
        .equals("0");
  }

  @Test
  void aServerThatHangsAfterTheDecisionIsNamedAndCommitsWhenItGoesOn() throws Exception {
    rig.held.set(Duration.ofSeconds(1));
    try (Connection client = rig.router.connect("simple")) {
      SQLException told =
          moveWhile(client, StopAt.Step.AFTER_DECIDE, () -> shards.cluster.shard(B).freeze())
              .get(60, TimeUnit.SECONDS)
              .orElseThrow();
      assertThat(told.getSQLState()).isEqualTo("08007");
      assertThat(told.getMessage()).contains("[tx/commit-pending]", "shard-b");
      shards.cluster.shard(B).thaw();
      rig.resolveAll();
      assertThat(tenants(client)).containsExactly(ON_A);
    }
  }

  /** One link alone, the server behind it alive: nothing but the limit tells. */
  @Test
  void aCommitInOrderWhoseAnswerIsLostIsUnknown() throws Exception {
    Gate gate = new Gate();
    try (Connection client = rig.router.connect("simple")) {
      run(client, "BEGIN; UPDATE users SET name = 'n' WHERE tenant_id = " + ON_B);
      run(client, insert(ON_A, "y@example.com"));
      rig.network.begin(
          List.of(
              Rule.on(Direction.TO_SERVER)
                  .server(B.uid())
                  .containing("COMMIT")
                  .then(new Action.Hold(gate))));
      SQLException told = Objects.requireNonNull(failure(client, "COMMIT"));
      gate.release();
      assertThat(told.getSQLState()).isEqualTo("08007");
      assertThat(told.getMessage())
          .contains("[tx/outcome-unknown]", "shard-b", "has not answered for 2000 ms");
      assertThat(tenants(client)).containsExactly(ON_B);
    }
  }

  /** A statement, a lone COMMIT, and one that has run into its own timeout: each ends. */
  @Test
  void whatWaitsForAServerThatHangsEnds() throws Exception {
    try (Connection reader = rig.router.connect("simple");
        Connection writer = rig.router.connect("simple");
        Connection limited = rig.router.connect("simple")) {
      String byKey = "SELECT name FROM users WHERE tenant_id = " + ON_B;
      run(writer, "BEGIN; UPDATE users SET name = 'w' WHERE tenant_id = " + ON_B);
      run(limited, "SET statement_timeout = 500; " + byKey);
      run(reader, byKey);
      shards.cluster.shard(B).freeze();
      CompletableFuture<Optional<SQLException>> read = later(reader, byKey);
      CompletableFuture<Optional<SQLException>> commit = later(writer, "COMMIT");
      CompletableFuture<Optional<SQLException>> cancelled = later(limited, byKey);
      assertThat(read.get(60, TimeUnit.SECONDS).orElseThrow().getMessage())
          .contains("[shard/silent]", "shard-b");
      assertThat(commit.get(60, TimeUnit.SECONDS).orElseThrow().getMessage())
          .contains("[tx/outcome-unknown]", "shard-b");
      assertThat(cancelled.get(60, TimeUnit.SECONDS)).isPresent();
      shards.cluster.shard(B).thaw();
      run(reader, byKey);
      run(limited, byKey);
    }
  }

  @Test
  void aStatementOfAServerThatLivesTakesItsTime() throws Exception {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SELECT pg_sleep(6) FROM users WHERE tenant_id = " + ON_B);
    }
  }

  private static CompletableFuture<Optional<SQLException>> later(Connection client, String sql) {
    return CompletableFuture.supplyAsync(() -> Optional.ofNullable(failure(client, sql)));
  }

  private static CompletableFuture<Optional<SQLException>> moveWhileBDies(Connection client)
      throws Exception {
    return moveWhile(client, StopAt.Step.AFTER_DECIDE, () -> shards.cluster.shard(B).kill());
  }

  private static CompletableFuture<Optional<SQLException>> moveWhile(
      Connection client, StopAt.Step step, Runnable fault) throws Exception {
    run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_B);
    run(client, insert(ON_A, X));
    rig.stops.stopAt(step);
    CompletableFuture<Optional<SQLException>> commit = later(client, "COMMIT");
    rig.stops.awaitStopped();
    fault.run();
    rig.stops.wake();
    return commit;
  }

  // --- tools -----------------------------------------------------------------------------------

  private static String insert(String tenant, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, '%s')"
        .formatted(tenant, email);
  }

  /** Null after success. */
  private static @Nullable SQLException failure(Connection client, String sql) {
    return catchThrowableOfType(SQLException.class, () -> run(client, sql));
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> tenants(Connection client) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT tenant_id FROM users WHERE email = '" + X + "'")) {
      List<String> tenants = new java.util.ArrayList<>();
      while (rows.next()) {
        tenants.add(rows.getString(1));
      }
      return tenants;
    }
  }
}
