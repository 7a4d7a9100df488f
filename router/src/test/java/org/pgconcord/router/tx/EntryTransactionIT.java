package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;

/**
 * Writers on two real shards, the lookup table on one of them: what one transaction does to its own
 * entries, races of eight sessions, and a backend killed before each statement in turn.
 */
class EntryTransactionIT {
  /** What these transactions use. */
  private static final Set<BackendRole> VICTIMS =
      EnumSet.complementOf(EnumSet.of(BackendRole.REPLICA, BackendRole.WATCH));

  private static final String X = "x@example.com";
  private static final String ON_A = tenantOf(A, 0);
  private static final String ALSO_ON_A = tenantOf(A, 1);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ALSO_ON_B = tenantOf(B, 1);

  private static Shards shards;
  private static ExecutorService threads;
  private final List<WriterSession> sessions = new ArrayList<>();

  @BeforeAll
  static void start() throws SQLException {
    shards = new Shards();
    threads = Executors.newFixedThreadPool(8);
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    shards.close();
  }

  @BeforeEach
  void empty() {
    shards.empty();
  }

  @AfterEach
  void close() {
    sessions.forEach(WriterSession::close);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              for (var shard : shards.cluster.shards()) {
                assertThat(
                        shards.ask(
                            shard,
                            "SELECT count(*) FROM pg_stat_activity WHERE application_name ~"
                                + " '^s[0-9]'"))
                    .isEqualTo("0");
              }
            });
  }

  private WriterSession session() {
    return session(UnaryOperator.identity());
  }

  private WriterSession session(UnaryOperator<Backends> between) {
    WriterSession session =
        new WriterSession(shards, "s" + sessions.size(), Duration.ofSeconds(5), between);
    sessions.add(session);
    return session;
  }

  @Test
  void insertAndDeleteKeepTheEntryOnEitherServer() {
    WriterSession writer = session();
    for (String tenant : List.of(ON_A, ON_B)) {
      assertThat(writer.tryInsert(tenant, 1, X)).isEmpty();
      assertThat(shards.entries()).isEqualTo(Map.of(X, tenant));
      assertThat(writer.tryDelete(tenant, X)).isEmpty();
      assertThat(shards.entries()).isEmpty();
    }
    assertThat(writer.suspects).isEmpty();
  }

  @Test
  void aSecondOwnerIsRefusedAcrossShardsBothWays() {
    WriterSession writer = session();
    for (List<String> tenants :
        List.of(
            List.of(ON_A, ON_B),
            List.of(ON_B, ON_A),
            List.of(ON_B, ALSO_ON_B),
            List.of(ON_A, ALSO_ON_A))) {
      shards.empty();
      assertThat(writer.tryInsert(tenants.get(0), 1, X)).isEmpty();
      assertThat(writer.tryInsert(tenants.get(1), 2, X)).isEqualTo("23505");
      assertThat(shards.owners()).isEqualTo(Map.of(X, List.of(tenants.get(0))));
      assertThat(shards.entries()).isEqualTo(Map.of(X, tenants.get(0)));
    }
  }

  @Test
  void surplusIsTakenOver() {
    WriterSession writer = session();
    for (String holder : List.of(ON_A, ON_B)) {
      for (String tenant : List.of(ON_A, ALSO_ON_A, ON_B, ALSO_ON_B)) {
        shards.empty();
        shards.run(A, "INSERT INTO users_by_email VALUES ('" + X + "', " + holder + ")");
        assertThat(writer.tryInsert(tenant, 1, X)).isEmpty();
        assertThat(shards.entries()).isEqualTo(Map.of(X, tenant));
      }
    }
  }

  @Test
  void deleteAndInsertOfOneValueCancel() {
    WriterSession writer = session();
    for (String tenant : List.of(ON_A, ON_B)) {
      shards.empty();
      assertThat(writer.tryInsert(tenant, 1, X)).isEmpty();
      String result =
          writer.attempt(
              () -> {
                writer.delete(tenant, X);
                writer.insert(tenant, 2, X);
              });
      assertThat(result).isEmpty();
      assertThat(shards.entries()).isEqualTo(Map.of(X, tenant));
    }
  }

  @Test
  void insertAndDeleteOfOneValueLeaveNothing() {
    WriterSession writer = session();
    for (String tenant : List.of(ON_A, ON_B)) {
      String result =
          writer.attempt(
              () -> {
                writer.insert(tenant, 1, X);
                writer.delete(tenant, X);
              });
      assertThat(result).isEmpty();
      assertThat(shards.entries()).isEmpty();
    }
  }

  @Test
  void deleteInsertDeleteOfOneValueRemovesItsEntry() {
    WriterSession writer = session();
    for (String tenant : List.of(ON_A, ON_B)) {
      assertThat(writer.tryInsert(tenant, 1, X)).isEmpty();
      String result =
          writer.attempt(
              () -> {
                writer.delete(tenant, X);
                writer.insert(tenant, 2, X);
                writer.delete(tenant, X);
              });
      assertThat(result).isEmpty();
      assertThat(shards.entries()).isEmpty();
      assertThat(shards.owners()).isEmpty();
    }
  }

  @Test
  void oneValueTwiceInATransactionIsADuplicate() {
    WriterSession writer = session();
    String result =
        writer.attempt(
            () -> {
              writer.insert(ON_B, 1, X);
              writer.insert(ALSO_ON_B, 1, X);
            });
    assertThat(result).isEqualTo("23505");
    assertThat(shards.entries()).isEmpty();
  }

  @Test
  void aKeyThatMovesToAnotherTenantWithinATransactionIsRefused() {
    WriterSession writer = session();
    assertThat(writer.tryInsert(ON_B, 1, X)).isEmpty();
    String result =
        writer.attempt(
            () -> {
              writer.delete(ON_B, X);
              writer.insert(ALSO_ON_B, 1, X);
            });
    assertThat(result).isEqualTo("0A000");
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
    assertThat(writer.tryDelete(ON_B, X)).isEmpty();
    assertThat(writer.tryInsert(ALSO_ON_B, 1, X)).isEmpty();
  }

  @Test
  void theLoserOfARaceWaitsAndIsToldOfTheDuplicate() throws Exception {
    for (List<String> tenants : List.of(List.of(ON_A, ON_B), List.of(ON_B, ON_A))) {
      shards.empty();
      WriterSession first = session();
      WriterSession second = session();
      first.begin();
      first.insert(tenants.get(0), 1, X);
      CompletableFuture<String> loser =
          CompletableFuture.supplyAsync(() -> second.tryInsert(tenants.get(1), 1, X), threads);
      awaitWaiting();
      first.commit();
      assertThat(loser.get()).isEqualTo("23505");
      assertThat(shards.entries()).isEqualTo(Map.of(X, tenants.get(0)));
    }
  }

  @Test
  void aWriterWaitsForADeleteAndWinsWhenItCommits() throws Exception {
    for (List<String> tenants : List.of(List.of(ON_A, ON_B), List.of(ON_B, ON_A))) {
      shards.empty();
      WriterSession first = session();
      WriterSession second = session();
      assertThat(first.tryInsert(tenants.get(0), 1, X)).isEmpty();
      first.begin();
      first.delete(tenants.get(0), X);
      if (tenants.get(1).equals(ON_B)) {
        CompletableFuture<String> winner =
            CompletableFuture.supplyAsync(() -> second.tryInsert(ON_B, 1, X), threads);
        awaitWaiting();
        first.commit();
        assertThat(winner.get()).isEmpty();
        assertThat(shards.entries()).isEqualTo(Map.of(X, ON_B));
      } else {
        assertThat(second.tryInsert(ON_A, 1, X)).isEqualTo("23505");
        first.commit();
      }
    }
  }

  private static void awaitWaiting() {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                shards.cluster.shards().stream()
                    .anyMatch(
                        shard ->
                            !shards
                                .ask(shard, "SELECT count(*) FROM pg_locks WHERE NOT granted")
                                .equals("0")));
  }

  @Test
  void eightWritersNeverGiveAKeyTwoOwners() throws Exception {
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      WriterSession writer = session();
      int seed = i;
      writers.add(CompletableFuture.supplyAsync(() -> race(writer, seed), threads));
    }
    int committed = 0;
    for (CompletableFuture<Integer> writer : writers) {
      committed += writer.get();
    }
    assertThat(committed).isGreaterThan(100);
    shards.owners().forEach((email, tenants) -> assertThat(tenants).as(email).hasSize(1));
    assertThat(shards.entries()).isEqualTo(single(shards.owners()));
  }

  private static int race(WriterSession writer, int seed) {
    Random random = new Random(seed);
    List<String> tenants = List.of(ON_A, ALSO_ON_A, ON_B, ALSO_ON_B);
    int committed = 0;
    for (int step = 0; step < 100; step++) {
      String tenant = tenants.get(random.nextInt(tenants.size()));
      String email = "k" + random.nextInt(6);
      long user = 1000L * seed + step;
      String result =
          switch (random.nextInt(3)) {
            case 0 -> writer.tryDelete(tenant, email);
            case 1 ->
                writer.attempt(
                    () -> {
                      writer.delete(tenant, email);
                      writer.insert(tenant, user, email);
                    });
            default -> writer.tryInsert(tenant, user, email);
          };
      assertThat(result).isIn("", "23505", "55P03", "40P01");
      committed += result.isEmpty() ? 1 : 0;
    }
    return committed;
  }

  private static Map<String, String> single(Map<String, List<String>> owners) {
    Map<String, String> single = new java.util.TreeMap<>();
    owners.forEach((email, tenants) -> single.put(email, tenants.get(0)));
    return single;
  }

  // --- kills -----------------------------------------------------------------------------------

  /** What a transaction may be doing when a backend of it is killed. */
  private enum Work {
    INSERT_FREE,
    INSERT_OVER_SURPLUS,
    DELETE,
    DELETE_AND_INSERT
  }

  @Test
  void aKillBeforeAnyStatementLeavesAtMostSurplus() throws SQLException {
    kill(List.of(ON_B), 25);
  }

  @Test
  @Tag("long")
  void aKillBeforeAnyStatementOfEitherShardLeavesAtMostSurplus() throws SQLException {
    kill(List.of(ON_A, ON_B), 50);
  }

  private void kill(List<String> tenants, int least) throws SQLException {
    int kills = 0;
    for (String tenant : tenants) {
      for (Work work : Work.values()) {
        for (BackendRole victim : VICTIMS) {
          kills += killBeforeEach(tenant, work, victim);
        }
      }
    }
    assertThat(kills).isGreaterThan(least);
  }

  private int killBeforeEach(String tenant, Work work, BackendRole victim) throws SQLException {
    int kills = 0;
    for (int step = 1; ; step++) {
      shards.empty();
      prepare(tenant, work);
      String name = "s" + sessions.size();
      KillBefore killer =
          new KillBefore(step, role -> shards.kill(where(tenant, role), name, victim), victim);
      WriterSession writer = session(killer::around);
      String result = writer.attempt(() -> perform(writer, tenant, work));
      writer.close();
      if (!killer.reached()) {
        assertThat(result).isEmpty();
        return kills;
      }
      kills += killer.killed() ? 1 : 0;
      checkAfter(tenant, work, victim, step, result, writer);
    }
  }

  private static org.pgconcord.config.value.ShardId where(String tenant, BackendRole role) {
    return switch (role) {
      case PRE, POST -> A;
      case CLIENT -> UsersIndex.INDEX.shardOf(Tuple.of(tenant));
      case SERVICE, AUDIT, WATCH, REPLICA -> B;
    };
  }

  private static void prepare(String tenant, Work work) {
    switch (work) {
      case INSERT_FREE -> {}
      case INSERT_OVER_SURPLUS ->
          shards.run(A, "INSERT INTO users_by_email VALUES ('" + X + "', " + ALSO_ON_B + ")");
      case DELETE, DELETE_AND_INSERT -> {
        shards.run(
            UsersIndex.INDEX.shardOf(Tuple.of(tenant)),
            "INSERT INTO users VALUES (" + tenant + ", 1, '" + X + "')");
        shards.run(A, "INSERT INTO users_by_email VALUES ('" + X + "', " + tenant + ")");
      }
    }
  }

  private static void perform(WriterSession writer, String tenant, Work work) {
    switch (work) {
      case INSERT_FREE, INSERT_OVER_SURPLUS -> writer.insert(tenant, 1, X);
      case DELETE -> writer.delete(tenant, X);
      case DELETE_AND_INSERT -> {
        writer.delete(tenant, X);
        writer.insert(tenant, 2, X);
      }
    }
  }

  private static void checkAfter(
      String tenant, Work work, BackendRole victim, int step, String result, WriterSession writer)
      throws SQLException {
    String what = tenant + " " + work + " " + victim + " " + step + " -> " + result;
    Map<String, List<String>> owners = shards.owners();
    Map<String, String> entries = shards.entries();
    if (owners.containsKey(X)) {
      assertThat(owners.get(X)).as(what).containsExactly(tenant);
      assertThat(entries).as(what).containsEntry(X, tenant);
    } else if (entries.containsKey(X) && work != Work.INSERT_OVER_SURPLUS) {
      assertThat(writer.suspects).as(what).contains(X);
    }
    if (result.isEmpty()) {
      assertThat(owners.containsKey(X)).as(what).isEqualTo(work != Work.DELETE);
    }
    shards.settle(List.of(X));
    assertThat(shards.entries()).as(what).isEqualTo(single(shards.owners()));
  }
}
