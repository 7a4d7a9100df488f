package org.pgconcord.backfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.backfill.BackfillProgress.Phase;
import org.pgconcord.backfill.BuildFindings.DuplicateKey;
import org.pgconcord.backfill.BuildFindings.NullViolation;
import org.pgconcord.backfill.BuildFindings.Owner;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.testkit.fixture.ThingsByKey;
import org.pgconcord.testkit.fixture.TwoShards;

class BackfillIT {
  /** Small parts, so that few rows make many runs and ranges. */
  private static final BackfillOptions SMALL =
      new BackfillOptions(2, 2, 64 * 1024, 4096, 16 * 1024, 1 << 20);

  /** From here on the second occurrence means that both shards are exported. */
  private static final Set<BuildStep> WITH_ALL_RUNS =
      EnumSet.range(BuildStep.SHARD_EXPORTED, BuildStep.LOAD_NOTED);

  private static OwnerShards shards;

  @SuppressWarnings("NullAway.Init")
  @TempDir
  Path directory;

  private StateStore store;
  private final RecordedFindings findings = new RecordedFindings();
  private final Map<ShardId, Lsn> started = new HashMap<>();
  private final List<BackfillProgress> progress =
      java.util.Collections.synchronizedList(new ArrayList<>());

  @BeforeAll
  static void start() throws SQLException {
    shards = new OwnerShards();
  }

  @AfterAll
  static void stop() throws SQLException {
    shards.close();
  }

  @BeforeEach
  void open() {
    store = StateStore.open(directory.resolve("rocks"));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void theTableHoldsTheSnapshotsAndTheStreamsBringTheRest() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 20_000);
    AtomicBoolean stop = new AtomicBoolean();
    CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> write(stop));
    Map<ShardId, OwnerSnapshot> snapshots = shards.snapshots();
    Set<Long> seenOnA = shards.logSeenBy(of(snapshots, A));
    Set<Long> seenOnB = shards.logSeenBy(of(snapshots, B));

    BackfillResult result = backfill(step -> {}).run(snapshots);
    stop.set(true);
    writer.join();
    shards.replay(A, seenOnA);
    shards.replay(B, seenOnB);

    assertThat(shards.entries()).isEqualTo(shards.expected());
    assertThat(result.rows()).isGreaterThanOrEqualTo(19_000);
    assertThat(started)
        .containsEntry(A, of(snapshots, A).consistentPoint())
        .containsEntry(B, of(snapshots, B).consistentPoint());
    assertThat(directory.resolve("backfill").resolve("app.by_k")).doesNotExist();
  }

  @Test
  void progressNeverFallsAndIsAHundredOnlyAtThePhasesEnd() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 30_000);

    backfill(step -> {}).run(shards.snapshots());

    for (ShardId shard : List.of(A, B)) {
      for (Phase phase : Phase.values()) {
        List<BackfillProgress> of =
            progress.stream().filter(p -> p.shard().equals(shard) && p.phase() == phase).toList();
        assertThat(of).hasSizeGreaterThan(1);
        assertThat(of).extracting(BackfillProgress::percent).isSorted();
        assertThat(of.subList(0, of.size() - 1)).allMatch(p -> p.percent() < 100);
        BackfillProgress last = of.get(of.size() - 1);
        assertThat(last.percent()).isEqualTo(100);
        assertThat(last.rows()).isEqualTo(15_000).isEqualTo(last.rowsEstimated());
      }
    }
  }

  @Test
  void aBuildThatEndsAtAnyStepGoesOnToTheSameTable() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 6_000);
    for (BuildStep step : BuildStep.values()) {
      for (int occurrence : new int[] {1, 2}) {
        Backfill dying = backfill(new Dying(step, occurrence));
        boolean died = diesAt(dying);
        reopenStore();
        Backfill next = backfill(s -> {});
        Set<ShardId> needed = next.shardsWithoutRuns();
        shards.releaseAll();
        Map<ShardId, OwnerSnapshot> fresh = new HashMap<>();
        for (ShardId shard : needed) {
          fresh.put(shard, shards.snapshot(shard));
        }
        BackfillResult result = next.run(fresh);

        assertThat(shards.entries())
            .as("ended at %s, occurrence %s, died %s", step, occurrence, died)
            .isEqualTo(shards.expected());
        assertThat(result).isEqualTo(new BackfillResult(6_000, 0, 0));
        if (occurrence == 2 && WITH_ALL_RUNS.contains(step)) {
          assertThat(needed).as("needed after %s", step).isEmpty();
        }
        assertThat(backfill(s -> {}).run(Map.of())).isEqualTo(result);
        backfill(s -> {}).forget();
      }
    }
  }

  @Test
  void withoutTheStateStoreTheBuildStartsFromNothing() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 3_000);
    assertThat(diesAt(backfill(new Dying(BuildStep.RANGE_COMMITTED, 2)))).isTrue();
    store.close();
    store = StateStore.open(directory.resolve("other"));
    shards.insert(900_001, "late", TwoShards.tenantOf(B, 0));

    Backfill next = backfill(s -> {});
    assertThat(next.shardsWithoutRuns()).containsExactlyInAnyOrder(A, B);
    next.run(shards.snapshots());

    assertThat(shards.entries()).isEqualTo(shards.expected());
  }

  @Test
  void aDeadSnapshotCostsThatShardItsRunsAlone() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 3_000);
    Map<ShardId, OwnerSnapshot> snapshots = shards.snapshots();
    of(snapshots, B).hold().release();

    assertThatThrownBy(() -> backfill(s -> {}).run(snapshots))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKFILL_SNAPSHOT_LOST));

    Backfill next = backfill(s -> {});
    assertThat(next.shardsWithoutRuns()).containsExactly(B);
    next.run(Map.of(B, shards.snapshot(B)));
    assertThat(shards.entries()).isEqualTo(shards.expected());
  }

  @Test
  void aDamagedRunIsReadAgainEvenWhenTheLoadHadBegun() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 3_000);
    assertThat(diesAt(backfill(new Dying(BuildStep.RANGE_COMMITTED, 1)))).isTrue();
    try (var runs = Files.walk(directory.resolve("backfill"))) {
      Path run = runs.filter(p -> p.getFileName().toString().startsWith("shard-b")).findAny().get();
      Files.write(run, new byte[] {1, 2, 3});
    }

    Backfill next = backfill(s -> {});
    assertThat(next.shardsWithoutRuns()).containsExactly(B);
    next.run(Map.of(B, shards.snapshot(B)));

    assertThat(shards.entries()).isEqualTo(shards.expected());
  }

  @Test
  void filesOfADeadBuildAreRemoved() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 100);
    Path dead = directory.resolve("backfill/app.by_k/0123456789abcdef");
    Files.createDirectories(dead);
    Files.writeString(dead.resolve("shard-a-0.run"), "left over");
    Dying dying = new Dying(BuildStep.RUN_NOTED, 1);

    assertThat(diesAt(backfill(dying))).isTrue();

    assertThat(dead).doesNotExist();
  }

  @Test
  void allOwnersOfADuplicateKeyAreListedAndOneGetsTheEntry() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 200);
    String onA = TwoShards.tenantOf(A, 0);
    String onB = TwoShards.tenantOf(B, 0);
    shards.insert(1001, "twice", onA);
    shards.insert(1002, "twice", onB);
    shards.insert(1003, "same tenant", onB);
    shards.insert(1004, "same tenant", onB);

    BackfillResult result = backfill(step -> {}).run(shards.snapshots());

    assertThat(findings.duplicates())
        .containsExactlyInAnyOrder(
            new DuplicateKey(
                Tuple.of("twice"),
                List.of(
                    new Owner(A, Tuple.of(onA), List.of(List.of("1001"))),
                    new Owner(B, Tuple.of(onB), List.of(List.of("1002"))))),
            new DuplicateKey(
                Tuple.of("same tenant"),
                List.of(
                    new Owner(B, Tuple.of(onB), List.of(List.of("1003"), List.of("1004"))),
                    new Owner(B, Tuple.of(onB), List.of(List.of("1003"), List.of("1004"))))));
    assertThat(result).isEqualTo(new BackfillResult(202, 2, 0));
    assertThat(shards.entries()).containsEntry("twice", onA).hasSize(202);
  }

  @Test
  void nullKeysAreSkippedOrNamedAsTheIndexSays() throws Exception {
    for (boolean ignoreNull : new boolean[] {true, false}) {
      shards.recreate("text", "bigint", ignoreNull);
      shards.insert(1, null, TwoShards.tenantOf(A, 0));
      shards.insert(2, "x", TwoShards.tenantOf(B, 0));
      findings.violations().clear();

      BackfillResult result = backfill(step -> {}).run(shards.snapshots());

      assertThat(result).isEqualTo(new BackfillResult(1, 0, ignoreNull ? 0 : 1));
      assertThat(findings.violations())
          .isEqualTo(ignoreNull ? Set.of() : Set.of(new NullViolation(A, "k", List.of("1"))));
      backfill(step -> {}).forget();
    }
  }

  @Test
  void anEntryThatSomebodyElseWroteMeanwhileGivesWay() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 2_000);
    BuildStep.Hook meddle =
        step -> {
          if (step == BuildStep.CUTS_NOTED) {
            try (Connection service = shards.service(A)) {
              ThingsByKey.run(service, "INSERT INTO things_by_k VALUES ('user77', 4711)");
            } catch (SQLException e) {
              throw new IllegalStateException(e);
            }
          }
        };

    backfill(meddle).run(shards.snapshots());

    assertThat(shards.entries()).isEqualTo(shards.expected());
  }

  @Test
  void everyTypeAndOddTextKeepsItsBytes() throws Exception {
    keepTheirBytes(OddValues.byType(), List.of());
  }

  @Test
  void eachKeyOfAnyTypeGoesToTheLookupShardWhereItBelongs() throws Exception {
    Map<String, List<String>> some = OddValues.byType();
    some.keySet().retainAll(Set.of("numeric", "character(5)", "timestamptz"));
    keepTheirBytes(some, List.of("k"));
  }

  private void keepTheirBytes(Map<String, List<String>> values, List<String> lookupKey)
      throws Exception {
    for (Map.Entry<String, List<String>> type : values.entrySet()) {
      shards.recreate(type.getKey(), "bigint", false, lookupKey);
      long id = 0;
      for (String value : type.getValue()) {
        String tenant = TwoShards.tenantOf(id % 2 == 0 ? A : B, 0);
        shards.insert(++id, value, tenant);
      }

      BackfillResult result = backfill(step -> {}).run(shards.snapshots());

      assertThat(shards.entries()).as(type.getKey()).isEqualTo(shards.expected());
      assertThat(result)
          .as(type.getKey())
          .isEqualTo(new BackfillResult(type.getValue().size(), 0, 0));
      backfill(step -> {}).forget();
    }
  }

  @Test
  void anotherBuildTakesTheTableOverAndTheFirstStops() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("user", 3_000);
    StateStore other = StateStore.open(directory.resolve("other"));
    try {
      BuildStep.Hook takeOver =
          step -> {
            if (step == BuildStep.CUTS_NOTED) {
              assertThat(
                      diesAt(
                          new Backfill(
                              shards.index(),
                              services(other, "second", new Dying(BuildStep.TARGET_CLAIMED, 1)),
                              p -> {})))
                  .isTrue();
            }
          };
      assertThatThrownBy(() -> backfill(takeOver).run(shards.snapshots()))
          .isInstanceOfSatisfying(
              ConcordException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKFILL_SUPERSEDED));
    } finally {
      other.close();
    }
  }

  /** Inserts, moves keys and deletes through direct sessions until told to stop. */
  private static void write(AtomicBoolean stop) {
    try (Connection a = shards.cluster().asOwner(A);
        Connection b = shards.cluster().asOwner(B)) {
      for (int i = 1; !stop.get(); i++) {
        Connection on = i % 2 == 0 ? a : b;
        String tenant = TwoShards.tenantOf(i % 2 == 0 ? A : B, 0);
        ThingsByKey.run(
            on,
            "INSERT INTO things VALUES (%s, %d, 'new%d')".formatted(tenant, 1_000_000 + i, i),
            "UPDATE things SET k = 'moved%d' WHERE id = %d".formatted(i, i % 20_000),
            "DELETE FROM things WHERE id = %d".formatted((i * 7 + 3) % 20_000));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static OwnerSnapshot of(Map<ShardId, OwnerSnapshot> snapshots, ShardId shard) {
    return Objects.requireNonNull(snapshots.get(shard));
  }

  private Backfill backfill(BuildStep.Hook hook) {
    return new Backfill(shards.index(), services(store, "", hook), progress::add);
  }

  private BackfillServices services(StateStore state, String part, BuildStep.Hook hook) {
    return new BackfillServices(
        shards::service,
        state,
        directory.resolve(part),
        SMALL,
        (transaction, gsi, points) -> started.putAll(points),
        findings,
        hook);
  }

  private void reopenStore() {
    store.close();
    store = StateStore.open(directory.resolve("rocks"));
  }

  private static boolean diesAt(Backfill backfill) {
    try {
      backfill.run(shards.snapshots());
      return false;
    } catch (Dying.Death death) {
      return true;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
