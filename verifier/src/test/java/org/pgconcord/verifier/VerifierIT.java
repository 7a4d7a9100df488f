package org.pgconcord.verifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.ThingsByKey.run;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;

import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.report.ReportJson;
import org.pgconcord.verifier.report.Sample;
import org.pgconcord.verifier.report.VerificationReport;
import org.pgconcord.verifier.search.Comparison;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.RangeSearch;
import org.pgconcord.verifier.sum.Sums;

class VerifierIT {
  private static final VerifyOptions OPTIONS =
      new VerifyOptions(
          Duration.ofSeconds(20), Duration.ofMillis(300), 4, Duration.ofMillis(50), 20);

  /** Where nobody writes one look again is as good as four. */
  private static final VerifyOptions NOBODY_WRITES =
      new VerifyOptions(Duration.ofSeconds(20), Duration.ofMillis(300), 1, Duration.ZERO, 20);

  private static final Map<ShardId, List<Long>> COMPARED = new ConcurrentHashMap<>();
  private static final CompareProgress PROGRESS =
      (gsi, shard, rows, all) ->
          COMPARED.computeIfAbsent(shard, s -> new CopyOnWriteArrayList<>()).add(rows);

  private static OwnerShards shards;
  private static ExecutorService threads;

  @BeforeAll
  static void start() throws SQLException {
    shards = new OwnerShards();
    threads = Executors.newCachedThreadPool();
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    shards.close();
  }

  @Test
  void inTailingTheSumsAreEqualWhileOthersWrite() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 2_000);
    try (DecodedTail tail = new DecodedTail(shards, true);
        Writers writers = Writers.direct(shards, tail, 4)) {
      for (int i = 0; i < 8; i++) {
        VerificationReport report = verify(tail, GsiState.TAILING, false);
        assertThat(report.clean()).as("%s", report).isTrue();
        assertThat(report.counts().expected()).isGreaterThanOrEqualTo(2_000);
      }
      assertThat(writers.done()).isGreaterThan(50);
    }
  }

  @Test
  void itIsSeenHowManyRowsHaveBeenCompared() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 200_000);
    try (DecodedTail tail = new DecodedTail(shards, true)) {
      COMPARED.clear();
      VerificationReport report = verify(tail, GsiState.TAILING, false);
      assertThat(report.clean()).isTrue();
      long all = 0;
      for (ShardId shard : List.of(A, B)) {
        List<Long> rows = COMPARED.getOrDefault(shard, List.of());
        assertThat(rows).hasSizeGreaterThan(1).isSorted().doesNotHaveDuplicates();
        all += rows.get(rows.size() - 1);
      }
      assertThat(all).isEqualTo(report.counts().expected()).isEqualTo(200_000);
    }
  }

  @Test
  void inTailingEachPlantedFaultIsFoundAndNamedWhileOthersWrite() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 50_000);
    try (DecodedTail tail = new DecodedTail(shards, true);
        Writers writers = Writers.direct(shards, tail, 3)) {
      plant();
      awaitApplied(tail);
      VerificationReport report = verify(tail, GsiState.TAILING, false);
      assertPlantedFound(report);
      assertThat(writers.done()).isPositive();
    }
  }

  @Test
  void fromWriteOnlyOnAPassUnderMaintainedWritesIsClean() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 2_000);
    try (DecodedTail tail = new DecodedTail(shards, false);
        Writers writers = Writers.maintaining(shards, tail, 4)) {
      for (int i = 0; i < 8; i++) {
        VerificationReport report = verify(tail, GsiState.ENABLED, false);
        assertThat(report.clean()).as("%s", report).isTrue();
      }
      assertThat(writers.done()).isGreaterThan(50);
    }
  }

  @Test
  void fromWriteOnlyOnEachPlantedFaultIsFoundNamedAndRepairedUnderTheProtocol() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 50_000);
    try (DecodedTail tail = new DecodedTail(shards, false);
        Writers writers = Writers.maintaining(shards, tail, 3)) {
      plant();
      assertPlantedFound(verify(tail, GsiState.WRITE_ONLY, false));
      assertPlantedFound(verify(tail, GsiState.WRITE_ONLY, true));
      VerificationReport repaired = verify(tail, GsiState.WRITE_ONLY, false);
      assertThat(repaired.counts().missing()).isZero();
      assertThat(repaired.counts().surplus()).isZero();
      assertThat(repaired.counts().wrongOwner()).isZero();
      assertThat(repaired.counts().duplicates()).isEqualTo(1);
      assertThat(shards.entryOf("fixed10")).isEqualTo(TwoShards.tenantOf(A, 0));
      assertThat(shards.entryOf("nobody")).isNull();
      assertThat(writers.done()).isPositive();
    }
  }

  /** fixed10 (on A) loses its entry, fixed12's names B, "nobody" is surplus, "twice" has two. */
  private static void plant() throws SQLException {
    try (Connection service = shards.service(A)) {
      run(
          service,
          "DELETE FROM things_by_k WHERE k = 'fixed10'",
          "UPDATE things_by_k SET sk = " + TwoShards.tenantOf(B, 0) + " WHERE k = 'fixed12'",
          "INSERT INTO things_by_k (k, sk) VALUES ('nobody', " + TwoShards.tenantOf(B, 0) + ")");
    }
    shards.insert(A, 900_001, "twice", TwoShards.tenantOf(A, 0));
    shards.insert(B, 900_002, "twice", TwoShards.tenantOf(B, 0));
    if (shards.entryOf("twice") == null) {
      try (Connection service = shards.service(A)) {
        run(
            service,
            "INSERT INTO things_by_k (k, sk) VALUES ('twice', "
                + TwoShards.tenantOf(A, 0)
                + ") ON CONFLICT DO NOTHING");
      }
    }
  }

  /** In tailing a report holds for what is applied; what is not counts as not yet there. */
  private static void awaitApplied(DecodedTail tail) throws Exception {
    for (ShardId shard : List.of(A, B)) {
      Lsn written;
      try (Connection service = shards.service(shard);
          Statement statement = service.createStatement();
          ResultSet row = statement.executeQuery("SELECT pg_current_wal_lsn()::text")) {
        row.next();
        written = Lsn.parse(row.getString(1));
      }
      assertThat(tail.await(shard, written, Duration.ofSeconds(30))).isTrue();
    }
  }

  private static void assertPlantedFound(VerificationReport report) {
    Map<Difference, Sample> samples = new HashMap<>();
    report.samples().forEach(s -> samples.put(s.difference(), s));
    assertThat(report.counts().missing()).as("%s", report).isEqualTo(1);
    assertThat(report.counts().surplus()).as("%s", report).isEqualTo(1);
    assertThat(report.counts().wrongOwner()).as("%s", report).isEqualTo(1);
    assertThat(report.counts().duplicates()).as("%s", report).isEqualTo(1);
    assertThat(report.clean()).isFalse();
    String onA = TwoShards.tenantOf(A, 0);
    String onB = TwoShards.tenantOf(B, 0);
    assertThat(samples)
        .containsEntry(
            Difference.MISSING,
            new Sample(Difference.MISSING, "fixed10", List.of(owner(A, onA, "10")), null))
        .containsEntry(
            Difference.WRONG_OWNER,
            new Sample(Difference.WRONG_OWNER, "fixed12", List.of(owner(A, onA, "12")), onB))
        .containsEntry(
            Difference.SURPLUS, new Sample(Difference.SURPLUS, "nobody", List.of(), onB));
    assertThat(samples.get(Difference.DUPLICATE))
        .isNotNull()
        .satisfies(
            twice -> {
              assertThat(twice.key()).isEqualTo("twice");
              assertThat(twice.owners())
                  .containsExactlyInAnyOrder(owner(A, onA, "900001"), owner(B, onB, "900002"));
            });
    assertThat(ReportJson.read(ReportJson.write(report))).isEqualTo(report);
  }

  private static Sample.Owner owner(ShardId shard, String shardKey, String id) {
    return new Sample.Owner(shard.uid(), shardKey, List.of(id));
  }

  @Test
  void nullsAndRowsOnTheWrongShardAreNamed() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertBoth(1, "x", TwoShards.tenantOf(A, 0));
    shards.insert(B, 2, null, TwoShards.tenantOf(B, 0));
    shards.insert(B, 3, "lost", TwoShards.tenantOf(A, 0));
    shards.entry("lost", TwoShards.tenantOf(A, 0));
    try (DecodedTail tail = new DecodedTail(shards, true)) {
      VerificationReport report = verify(tail, GsiState.TAILING, false);

      assertThat(report.counts().nullViolations()).isEqualTo(1);
      assertThat(report.counts().misplaced()).isEqualTo(1);
      assertThat(report.counts().missing()).isZero();
      assertThat(report.clean()).isFalse();
      assertThat(report.samples())
          .contains(
              new Sample(
                  Difference.NULL_VIOLATION,
                  null,
                  List.of(new Sample.Owner("shard-b", null, List.of("2"))),
                  null),
              new Sample(
                  Difference.MISPLACED,
                  null,
                  List.of(new Sample.Owner("shard-b", TwoShards.tenantOf(A, 0), List.of("3"))),
                  null));
    }
    shards.recreate("text", "bigint", true);
    shards.insert(B, 2, null, TwoShards.tenantOf(B, 0));
    try (DecodedTail tail = new DecodedTail(shards, true)) {
      assertThat(verify(tail, GsiState.TAILING, false).clean()).isTrue();
    }
  }

  @Test
  void anEntryWhoseMainIsOpenIsInFlightAndNotSurplus() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 10);
    try (DecodedTail tail = new DecodedTail(shards, false);
        Connection main = shards.service(B)) {
      String onB = TwoShards.tenantOf(B, 0);
      run(
          main,
          "BEGIN",
          "INSERT INTO things VALUES (" + onB + ", 77, 'open')",
          "SELECT pg_advisory_xact_lock_shared(" + shards.index().keyLock(Tuple.of("open")) + ")");
      shards.entry("open", onB);

      VerificationReport open = verify(tail, GsiState.ENABLED, false);
      run(main, "COMMIT");
      VerificationReport committed = verify(tail, GsiState.ENABLED, false);

      assertThat(open.counts().inFlight()).isEqualTo(1);
      assertThat(open.clean()).isTrue();
      assertThat(committed.counts().inFlight()).isZero();
      assertThat(committed.clean()).isTrue();
    }
  }

  @Test
  void surplusYoungerThanAnOpenTransactionIsInFlight() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 10);
    try (DecodedTail tail = new DecodedTail(shards, false);
        Connection main = shards.service(B)) {
      run(main, "BEGIN", "SELECT 1");
      shards.entry("young", TwoShards.tenantOf(B, 0));

      VerificationReport during = verify(tail, GsiState.ENABLED, false);
      run(main, "COMMIT");
      VerificationReport after = verify(tail, GsiState.ENABLED, false);

      assertThat(during.counts().inFlight()).isEqualTo(1);
      assertThat(during.counts().surplus()).isZero();
      assertThat(after.counts().surplus()).isEqualTo(1);
    }
  }

  @Test
  void aShardWhoseStreamStandsStillIsSkippedAndTheReportNotClean() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 10);
    try (DecodedTail tail = new DecodedTail(shards, true)) {
      AppliedPositions stuck =
          new AppliedPositions() {
            @Override
            public Lsn applied(ShardId shard) {
              return tail.applied(shard);
            }

            @Override
            public boolean await(ShardId shard, Lsn position, Duration limit)
                throws SQLException, InterruptedException {
              return shard.equals(A) && tail.await(shard, position, limit);
            }
          };
      VerificationReport report =
          new Verifier(services(stuck, tail)).verify(shards.index(), request(GsiState.TAILING));

      assertThat(report.skippedShards()).containsExactly("shard-b");
      assertThat(report.clean()).isFalse();
    }
  }

  @Test
  void everyTypeAndOddTextIsComparedByItsBytes() throws Exception {
    Map<String, List<String>> values = new HashMap<>();
    values.put("smallint", List.of("-32768", "0", "32767"));
    values.put("integer", List.of("-5", "9", "10"));
    values.put("bigint", List.of("-9223372036854775808", "9223372036854775807"));
    values.put(
        "text", List.of("", " ", "a", "B", "\u00e9", "e\u0301", "\ud83d\ude00", "x".repeat(2000)));
    values.put("varchar(20)", List.of("", "a", "\u00c4"));
    values.put("character(5)", List.of("a", "ab", ""));
    values.put("uuid", List.of("00000000-0000-0000-0000-000000000000"));
    values.put("bytea", List.of("\\x", "\\x00", "\\xff"));
    values.put("date", List.of("-infinity", "0044-03-15 BC", "2000-01-01"));
    values.put("timestamp", List.of("1969-07-20 20:17:40.5", "infinity"));
    values.put("timestamptz", List.of("1969-07-20 20:17:40.5+00"));
    values.put("numeric", List.of("-1.5", "0", "1.0", "1e30", "NaN"));
    for (Map.Entry<String, List<String>> type : values.entrySet()) {
      shards.recreate(type.getKey(), "bigint", false);
      long id = 0;
      for (String value : type.getValue()) {
        shards.insertBoth(++id, value, TwoShards.tenantOf(id % 2 == 0 ? A : B, 0));
      }
      try (DecodedTail tail = new DecodedTail(shards, true)) {
        VerificationReport whole = verify(tail, NOBODY_WRITES);
        assertThat(whole.clean()).as("%s %s", type.getKey(), whole).isTrue();
        assertThat(whole.counts().actual()).isEqualTo(type.getValue().size());
        try (Connection service = shards.service(A)) {
          run(service, "DELETE FROM things_by_k");
        }
        assertThat(verify(tail, NOBODY_WRITES).counts().missing())
            .as(type.getKey())
            .isEqualTo(type.getValue().size());
      }
    }
  }

  @Test
  void sumsHashedHereAgreeAsThoseOfTheServers() throws Exception {
    shards.recreate("text", "bigint", false);
    shards.insertMany("fixed", 3_000);
    shards.entry("\u00e9 surplus", "1");
    SecureRandom random = new SecureRandom();
    try (SnapshotSet snapshots = SnapshotSet.take(shards.index(), shards::service, threads)) {
      for (Sums sums : List.of(Sums.byServers(random), Sums.here(random))) {
        Comparison comparison =
            new Comparison(shards.index(), snapshots, Correction.none(), sums, threads);
        assertThat(
                new RangeSearch(comparison)
                    .search(comparison.whole(CompareProgress.none()))
                    .suspects())
            .extracting(KeyState::identity)
            .containsExactly(Tuple.of("\u00e9 surplus"));
      }
    }
  }

  private static VerificationReport verify(DecodedTail tail, GsiState state, boolean repair)
      throws InterruptedException {
    return new Verifier(services(tail, tail))
        .verify(shards.index(), new VerifyRequest(state, 3, 7, java.util.Map.of(), repair));
  }

  private static VerificationReport verify(DecodedTail tail, VerifyOptions options)
      throws InterruptedException {
    return new Verifier(services(tail, tail, options))
        .verify(shards.index(), request(GsiState.TAILING));
  }

  private static VerifyRequest request(GsiState state) {
    return new VerifyRequest(state, 3, 7, java.util.Map.of(), false);
  }

  private static VerifierServices services(AppliedPositions positions, TransactionLog log) {
    return services(positions, log, OPTIONS);
  }

  private static VerifierServices services(
      AppliedPositions positions, TransactionLog log, VerifyOptions options) {
    return new VerifierServices(
        shards::service,
        positions,
        log,
        threads,
        Clock.systemUTC(),
        new SecureRandom(),
        PROGRESS,
        gsi -> () -> {},
        options);
  }
}
