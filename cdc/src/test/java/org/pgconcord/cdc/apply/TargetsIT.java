package org.pgconcord.cdc.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.testkit.cluster.ShardCluster;

/** One stream and a lookup table on two shards: a transaction takes effect once on each. */
class TargetsIT {
  private static final Duration SOON = Duration.ofSeconds(20);

  private static ShardCluster cluster;
  private Rig rig;

  @BeforeAll
  static void startShards() {
    cluster = ShardCluster.start(2);
  }

  @AfterAll
  static void stopShards() {
    cluster.close();
  }

  @BeforeEach
  void prepare(@TempDir Path directory) throws SQLException {
    rig = new Rig(cluster, directory.resolve("state"), Indexes.sharded());
    rig.running().serve(rig.index, ServingMode.BLIND);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  private String email(String name, ShardId lookup) {
    for (int i = 0; ; i++) {
      String email = name + i;
      if (rig.index.lookupShard(Tuple.of(email)).equals(lookup)) {
        return email;
      }
    }
  }

  @Test
  void aTransactionIsSplitOverTheShardsOfItsKeys() {
    String tenant = rig.tenant(A, 0);
    String a = email("a", A);
    String b = email("b", B);
    rig.commit(A, 100, Rig.insert(tenant, a), Rig.insert(tenant, b));
    awaitEntries(A, Map.of(a, tenant));
    awaitEntries(B, Map.of(b, tenant));
    awaitAcknowledged(100);
    // The key moves from one lookup shard to the other, and back through both in one transaction.
    String next = email("next", B);
    rig.commit(A, 200, Rig.update(tenant, a, next), Rig.update(tenant, b, a));
    awaitEntries(A, Map.of(a, tenant));
    awaitEntries(B, Map.of(next, tenant));
    awaitAcknowledged(200);
  }

  /** Of one key on two owner shards the second waits where the first one's entry is. */
  @Test
  void aKeyThatMovesBetweenOwnersIsParkedOnItsOwnLookupShard() throws SQLException {
    String b = email("b", B);
    String first = rig.tenant(A, 0);
    String second = rig.tenant(B, 0);
    rig.commit(A, 100, Rig.insert(first, b));
    awaitEntries(B, Map.of(b, first));
    rig.commit(B, 100, Rig.insert(second, b));
    await().atMost(SOON).untilAsserted(() -> assertThat(rig.parked()).hasSize(1));
    assertThat(parkedOn(B)).isEqualTo(1);
    assertThat(parkedOn(A)).isZero();
    rig.commit(A, 200, Rig.delete(first, b));
    awaitEntries(B, Map.of(b, second));
    await().atMost(SOON).untilAsserted(() -> assertThat(rig.parked()).isEmpty());
  }

  /**
   * One target has committed and the other cannot: the slot stays, and the next engine gives the
   * transaction to the second alone. The first one's entry is taken away by hand, so that a
   * repetition would show.
   */
  @Test
  void aKillBetweenTwoTargetsRepeatsOnlyWhatIsMissing() throws Exception {
    String tenant = rig.tenant(A, 0);
    String a = email("a", A);
    String b = email("b", B);
    try (Connection gate = cluster.asSuperuser(B);
        Statement statement = gate.createStatement()) {
      gate.setAutoCommit(false);
      statement.execute("LOCK TABLE users_by_email IN ACCESS EXCLUSIVE MODE");
      rig.commit(A, 100, Rig.insert(tenant, a), Rig.insert(tenant, b));
      awaitEntries(A, Map.of(a, tenant));
      assertThat(progress(A)).isEqualTo(new Lsn(100));
      assertThat(progress(B)).isEqualTo(Lsn.ZERO);
      assertThat(rig.confirmed(A).isBefore(new Lsn(100))).isTrue();
      CompletableFuture<Void> restart =
          CompletableFuture.runAsync(() -> rig.restart(ServingMode.BLIND, true));
      endWaiters(restart);
      assertThat(progress(B)).isEqualTo(Lsn.ZERO);
      onLookup(A, "DELETE FROM users_by_email");
      gate.rollback();
      restart.join();
    }
    awaitEntries(B, Map.of(b, tenant));
    awaitAcknowledged(100);
    assertThat(rig.entries(A)).isEmpty();
    assertThat(progress(A)).isEqualTo(progress(B)).isEqualTo(new Lsn(100));
  }

  /** Ends the statement that waits for the lock, as the end of the engine's process would. */
  private static void endWaiters(CompletableFuture<Void> restart) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              onLookup(
                  B,
                  "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                      + " WHERE wait_event_type = 'Lock' AND query LIKE '%users_by_email%'");
              return restart.isDone() || waiting() == 0;
            });
  }

  private static long waiting() throws SQLException {
    return number(
        B,
        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            + " AND query LIKE '%users_by_email%'");
  }

  private void awaitEntries(ShardId lookup, Map<String, String> expected) {
    await().atMost(SOON).untilAsserted(() -> assertThat(rig.entries(lookup)).isEqualTo(expected));
  }

  private void awaitAcknowledged(long position) {
    rig.mark(A, position + 1);
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(rig.confirmed(A).isBefore(new Lsn(position))).isFalse());
  }

  private static Lsn progress(ShardId lookup) throws SQLException {
    return new Lsn(
        number(
            lookup,
            "SELECT (commit_lsn - '0/0'::pg_lsn)::bigint FROM pgconcord.progress"
                + " WHERE stream = 'shard-a'"));
  }

  private static long parkedOn(ShardId lookup) throws SQLException {
    return number(lookup, "SELECT count(*) FROM pgconcord.parked");
  }

  private static void onLookup(ShardId lookup, String sql) throws SQLException {
    try (Connection connection = cluster.asSuperuser(lookup);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long number(ShardId lookup, String sql) throws SQLException {
    try (Connection connection = cluster.asSuperuser(lookup);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
