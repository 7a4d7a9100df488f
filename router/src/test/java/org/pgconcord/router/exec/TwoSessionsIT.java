package org.pgconcord.router.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Gate;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.fixture.UsersByEmail;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.core.BaseConnection;

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
    return deletedButForPost("DELETE FROM users WHERE tenant_id = " + ON_B + " AND user_id = 1");
  }

  private CompletableFuture<String> deletedButForPost(String sql) throws Exception {
    assertThat(later(insert(ON_B, 1)).join()).isEqualTo(DONE);
    post = holdCommit(A, SERVICE);
    CompletableFuture<String> delete = later(sql);
    reached(post);
    assertThat(shards.owners()).isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
    return delete;
  }

  // --- the same by other forms -----------------------------------------------------------------

  private static final String W = "w@example.com";

  @ParameterizedTest
  @EnumSource(WriteForm.class)
  void aKeyThatAnyFormIsAboutToCommitIsNotTakenOver(WriteForm form) throws Exception {
    CompletableFuture<String> first = gainedButForMain(form);
    CompletableFuture<String> second = later(insert(ON_A, 1));
    awaitWaiter(B, WAITS_FOR_KEY_LOCK);
    main.release();

    assertThat(first.join()).isEqualTo(DONE);
    assertThat(second.join()).isEqualTo("23505");
    ends(Map.of(X, ON_B));
  }

  /** Who takes over is of the same form. */
  @ParameterizedTest
  @EnumSource(WriteForm.class)
  void aKeyIsTakenOverByAnyFormFromOneThatNeverCommits(WriteForm form) throws Exception {
    CompletableFuture<String> first = gainedButForMain(form);
    CompletableFuture<String> second = later(gain(form, ON_A, "v@example.com"));
    awaitWaiter(B, WAITS_FOR_KEY_LOCK);
    terminate(B, CLIENT);

    assertThat(second.join()).isEqualTo(DONE);
    main.release();
    assertThat(first.join()).isEqualTo("08007");
    ends(form.replaces() ? Map.of(X, ON_A, W, ON_B) : Map.of(X, ON_A));
  }

  private Gate main = new Gate();

  /** A row of {@code ON_B} whose new entry has committed, the row itself not yet. */
  private CompletableFuture<String> gainedButForMain(WriteForm form) throws Exception {
    String gain = gain(form, ON_B, W);
    main = holdCommit(B, CLIENT);
    CompletableFuture<String> first = later(gain);
    reached(main);
    assertThat(shards.entries()).containsEntry(X, ON_B);
    assertThat(shards.owners()).doesNotContainKey(X);
    return first;
  }

  /** A statement that gives the key to a row, which is there before where the form asks for it. */
  private static String gain(WriteForm form, String tenant, String before) {
    rig.router.publish(UsersByEmail.extended(), GsiState.ENABLED);
    if (form.replaces()) {
      assertThat(later(insert(tenant, 1, before)).join()).isEqualTo(DONE);
    }
    return form.gain(tenant, 1, before, X);
  }

  @ParameterizedTest
  @EnumSource(names = {"UPDATE_BY_KEY", "MERGE", "WRITING_CTE"})
  void aValueIsCreatedAgainWhileAnyFormsPostIsOpen(WriteForm form) throws Exception {
    rig.router.publish(UsersByEmail.extended(), GsiState.ENABLED);
    for (String tenant : List.of(ON_B, ON_A)) {
      CompletableFuture<String> first = deletedButForPost(form.lose(ON_B, 1, X));
      CompletableFuture<String> second = later(WriteForm.COPY.gain(tenant, 2, "", X));
      awaitWaiter(A, WAITS_FOR_TRANSACTION);
      post.release();
      assertThat(first.join()).isEqualTo(DONE);
      assertThat(second.join()).isEqualTo(DONE);
      ends(Map.of(X, tenant));
      rig.network.begin(List.of());
      shards.empty();
    }
  }

  // --- between the rounds of a COPY ------------------------------------------------------------

  private static final int ROUND = 2_000;

  /** The first round's entries are claimed and not committed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aKeyOfAnEarlierRoundIsWaitedFor(boolean completed) throws Exception {
    rig.router.publish(UsersByEmail.extended(), GsiState.ENABLED);
    try (Connection client = rig.router.connect("simple")) {
      CopyIn copy = begun(client);
      CompletableFuture<String> second = later(insert(ON_A, 1));
      awaitWaiter(A, WAITS_FOR_TRANSACTION);
      if (completed) {
        copy.endCopy();
      } else {
        copy.cancelCopy();
      }
      assertThat(second.join()).isEqualTo(completed ? "23505" : DONE);
      assertThat(shards.entries()).hasSize(completed ? ROUND + 1 : 1);
      assertThat(shards.entries()).containsEntry(X, completed ? ON_B : ON_A);
    }
  }

  /** The other has a key that a later round brings, and wants one of the first. */
  @Test
  void aCopyAndAnInsertThatWantEachOthersKeysEnd() throws Exception {
    rig.router.publish(UsersByEmail.extended(), GsiState.ENABLED);
    try (Connection client = rig.router.connect("simple");
        Connection other = rig.router.connect("simple")) {
      WriteForm.run(other, "BEGIN");
      WriteForm.run(other, insert(ON_A, 1, W));
      CopyIn copy = begun(client);
      byte[] late = line(ROUND + 1, W).getBytes(UTF_8);
      copy.writeToCopy(late, 0, late.length);
      CompletableFuture<String> copied =
          CompletableFuture.supplyAsync(() -> outcome(copy::endCopy));
      awaitWaiter(A, WAITS_FOR_TRANSACTION);
      String inserted = outcome(() -> WriteForm.run(other, insert(ON_A, 2)));
      WriteForm.run(other, "COMMIT");
      assertThat(List.of(inserted, copied.join()))
          .isIn(List.of("40P01", DONE), List.of(DONE, "40P01"));
      assertThat(shards.entries()).hasSize(inserted.equals(DONE) ? 2 : ROUND + 2);
    }
  }

  /** A COPY whose first round is stored, its first key {@code X}. */
  private static CopyIn begun(Connection client) throws SQLException {
    CopyIn copy =
        new CopyManager(client.unwrap(BaseConnection.class))
            .copyIn("COPY users (tenant_id, user_id, email) FROM STDIN");
    StringBuilder lines = new StringBuilder(line(0, X));
    for (int row = 1; row <= ROUND; row++) {
      lines.append(line(row, "copied" + row));
    }
    byte[] data = lines.toString().getBytes(UTF_8);
    copy.writeToCopy(data, 0, data.length);
    copy.flushCopy();
    String claimed =
        "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity s USING (pid) WHERE"
            + " l.relation = 'users_by_email'::regclass AND l.mode = 'RowExclusiveLock'"
            + " AND s.state = 'idle in transaction' AND s.usename = 'pgconcord'";
    await().atMost(LIMIT).until(() -> shards.ask(A, claimed).equals("1"));
    return copy;
  }

  private static String line(int user, String email) {
    return "%s\t%d\t%s\n".formatted(ON_B, user, email);
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
        () ->
            outcome(
                () -> {
                  try (Connection client = rig.router.connect("simple")) {
                    WriteForm.run(client, sql);
                  }
                }));
  }

  private interface Work {
    void run() throws SQLException;
  }

  private static String outcome(Work work) {
    try {
      work.run();
      return DONE;
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  private static String insert(String tenant, int user) {
    return insert(tenant, user, X);
  }

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, email);
  }

  private static void ends(Map<String, String> entries) {
    assertThat(shards.entries()).isEqualTo(entries);
    entries.forEach(
        (email, tenant) -> assertThat(shards.owners()).containsEntry(email, List.of(tenant)));
  }
}
