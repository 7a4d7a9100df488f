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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;

/**
 * A server that dies between the two phases. A key moves from the shard that dies: while its row's
 * deletion is prepared there, a read by the key finds the former row, so nobody may have been told
 * that the move is committed.
 */
class HeldCommitIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String X = "x@example.com";

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
  void plant() throws SQLException {
    rig.router.publish(GsiState.ENABLED);
    shards.empty();
    try (Connection client = rig.router.connect("simple")) {
      run(client, insert(ON_B, X));
    }
  }

  @AfterEach
  void nothingIsLeft() {
    assertThat(rig.prepared()).isZero();
    assertThat(rig.open()).isZero();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A));
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

  private static CompletableFuture<Optional<SQLException>> moveWhileBDies(Connection client)
      throws Exception {
    run(client, "BEGIN; DELETE FROM users WHERE tenant_id = " + ON_B);
    run(client, insert(ON_A, X));
    rig.stops.stopAt(StopAt.Step.AFTER_DECIDE);
    CompletableFuture<Optional<SQLException>> commit =
        CompletableFuture.supplyAsync(() -> Optional.ofNullable(failure(client, "COMMIT")));
    rig.stops.awaitStopped();
    shards.cluster.shard(B).kill();
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
