package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Gate;
import org.pgconcord.testkit.fault.Rule;

/**
 * Two clients at one key, one of them stopped between two commits: its COMMIT of the later
 * transaction is held on the way to the server. What the other meets there, and what both end with.
 */
class TwoSessionsIT {
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String X = "x@example.com";
  private static final String CLIENT = "demo";
  private static final String SERVICE = "pgconcord";
  private static final String DONE = "done";

  private static final String WAITS_FOR_KEY_LOCK =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory'";

  private static final String WAITS_FOR_TRANSACTION =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'";

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
    rig.network.begin(List.of());
    shards.empty();
    rig.router.publish(GsiState.ENABLED);
  }

  // --- MAIN open after PRE ---------------------------------------------------------------------

  /** Its row cannot be seen yet; the key lock says that it may come. */
  @Test
  void aKeyIsNotTakenOverFromARowThatIsAboutToCommit() throws Exception {
    Gate gate = holdCommit(B, CLIENT);
    CompletableFuture<String> first = later(insert(ON_B, 1));
    reached(gate);
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
    assertThat(shards.owners()).isEmpty();

    CompletableFuture<String> second = later(insert(ON_A, 1));
    awaitWaiter(B, WAITS_FOR_KEY_LOCK);
    gate.release();

    assertThat(first.join()).isEqualTo(DONE);
    assertThat(second.join()).isEqualTo("23505");
    ends(Map.of(X, ON_B));
  }

  @Test
  void aKeyIsTakenOverFromARowThatNeverCommits() throws Exception {
    Gate gate = holdCommit(B, CLIENT);
    CompletableFuture<String> first = later(insert(ON_B, 1));
    reached(gate);
    CompletableFuture<String> second = later(insert(ON_A, 1));
    awaitWaiter(B, WAITS_FOR_KEY_LOCK);
    terminate(B, CLIENT);

    assertThat(second.join()).isEqualTo(DONE);
    gate.release();
    assertThat(first.join()).isEqualTo("08007");
    ends(Map.of(X, ON_A));
  }

  /** The owner's own unique index is in the way, before any entry is. */
  @Test
  void twoRowsOfOneTenantDoNotShareAnEntry() throws Exception {
    Gate gate = holdCommit(B, CLIENT);
    CompletableFuture<String> first = later(insert(ON_B, 1));
    reached(gate);
    CompletableFuture<String> second = later(insert(ON_B, 2));
    awaitWaiter(B, WAITS_FOR_TRANSACTION);
    gate.release();

    assertThat(first.join()).isEqualTo(DONE);
    assertThat(second.join()).isEqualTo("23505");
    ends(Map.of(X, ON_B));
  }

  // --- POST open after MAIN --------------------------------------------------------------------

  /** Had POST's DELETE been sent after MAIN's commit it could remove the new entry. */
  @Test
  void theSameTenantCreatesAValueAgainWhilePostIsOpen() throws Exception {
    CompletableFuture<String> first = deletedButForPost();
    CompletableFuture<String> second = later(insert(ON_B, 2));
    awaitWaiter(A, WAITS_FOR_TRANSACTION);
    post.release();

    assertThat(first.join()).isEqualTo(DONE);
    assertThat(second.join()).isEqualTo(DONE);
    ends(Map.of(X, ON_B));
  }

  @Test
  void theSameTenantKeepsTheEntryWhosePostIsLost() throws Exception {
    CompletableFuture<String> first = deletedButForPost();
    CompletableFuture<String> second = later(insert(ON_B, 2));
    awaitWaiter(A, WAITS_FOR_TRANSACTION);
    terminateHolder();

    assertThat(second.join()).isEqualTo(DONE);
    post.release();
    assertThat(first.join()).as("the row has gone, the entry is surplus").isEqualTo(DONE);
    ends(Map.of(X, ON_B));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aValueGoesToAnotherTenantWhilePostIsOpen(boolean lost) throws Exception {
    CompletableFuture<String> first = deletedButForPost();
    CompletableFuture<String> second = later(insert(ON_A, 1));
    awaitWaiter(A, WAITS_FOR_TRANSACTION);
    if (lost) {
      terminateHolder();
    } else {
      post.release();
    }

    assertThat(second.join()).isEqualTo(DONE);
    post.release();
    assertThat(first.join()).isEqualTo(DONE);
    ends(Map.of(X, ON_A));
  }

  private Gate post = new Gate();

  /** A row of {@code ON_B} whose deletion has committed, its entry's removal not yet. */
  private CompletableFuture<String> deletedButForPost() throws Exception {
    assertThat(later(insert(ON_B, 1)).join()).isEqualTo(DONE);
    post = holdCommit(A, SERVICE);
    CompletableFuture<String> delete =
        later("DELETE FROM users WHERE tenant_id = " + ON_B + " AND user_id = 1");
    reached(post);
    assertThat(shards.owners()).isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
    return delete;
  }

  // --- tools -----------------------------------------------------------------------------------

  private static Gate holdCommit(ShardId shard, String user) {
    Gate gate = new Gate();
    rig.network.begin(
        List.of(
            Rule.on(Direction.TO_SERVER)
                .server(shard.uid())
                .user(user)
                .containing("COMMIT\0")
                .then(new Action.Hold(gate))));
    return gate;
  }

  private static void reached(Gate gate) throws InterruptedException {
    assertThat(gate.awaitReached(LIMIT)).isTrue();
  }

  private static void awaitWaiter(ShardId shard, String waiters) {
    await().atMost(LIMIT).until(() -> shards.ask(shard, waiters).equals("1"));
  }

  /** Ends the router's sessions of a role that are inside a transaction. */
  private static void terminate(ShardId shard, String role) {
    shards.ask(
        shard,
        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE usename = '"
            + role
            + "' AND state = 'idle in transaction'");
  }

  /** Ends the session on the lookup's shard for which another waits. */
  private static void terminateHolder() {
    shards.ask(
        A,
        "SELECT count(pg_terminate_backend(blocker, 5000)) FROM pg_stat_activity,"
            + " unnest(pg_blocking_pids(pid)) blocker WHERE wait_event_type = 'Lock'");
  }

  /** {@code DONE}, or the SQLSTATE. */
  private static CompletableFuture<String> later(String sql) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Connection client = rig.router.connect("simple");
              Statement statement = client.createStatement()) {
            statement.execute(sql);
            return DONE;
          } catch (SQLException e) {
            return e.getSQLState();
          }
        });
  }

  private static String insert(String tenant, int user) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, X);
  }

  private static void ends(Map<String, String> entries) {
    assertThat(shards.entries()).isEqualTo(entries);
    entries.forEach(
        (email, tenant) -> assertThat(shards.owners()).containsEntry(email, List.of(tenant)));
  }
}
