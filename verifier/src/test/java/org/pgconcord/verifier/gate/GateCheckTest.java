package org.pgconcord.verifier.gate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.report.Counts;
import org.pgconcord.verifier.report.VerificationReport;

class GateCheckTest {
  private static final ShardId A = new ShardId("shard-a");
  private static final ShardId B = new ShardId("shard-b");
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final String OWNER_A = "shard-a/public.users";
  private static final String OWNER_B = "shard-b/public.users";
  private static final String LOOKUP = "shard-a/public.users_by_email";
  private static final Map<String, Optional<GateFacts.Table>> TABLES =
      Map.of(OWNER_A, table("1:aa"), OWNER_B, table("1:aa"), LOOKUP, table("1:aa"));
  private static final Counts CLEAN = new Counts(9, 9, 0, 0, 0, 0, 0, 0, 1);

  @Test
  void nothingStandsAgainstACleanFreshReport() {
    assertThat(unmet(facts(report("hash", 7, 3, CLEAN, true, List.of())))).isEmpty();
  }

  @Test
  void withoutAReportThatIsSaidAlone() {
    assertThat(unmet(facts(Optional.empty()))).containsExactly("gate/no-report");
  }

  @Test
  void everyUnmetConditionIsListedAtOnce() {
    VerificationReport stale =
        report("old", 6, 2, new Counts(9, 9, 1, 2, 3, 4, 5, 6, 0), false, List.of("shard-b")).get();
    GateFacts facts =
        new GateFacts(
            Optional.of(stale),
            "hash",
            7,
            3,
            Map.of(OWNER_A, table("2:bb"), OWNER_B, table("1:aa"), LOOKUP, Optional.empty()),
            NOW.plus(Duration.ofMinutes(11)),
            Map.of(
                A, Optional.of(new GateFacts.Stream(new Lsn(99), Duration.ofSeconds(2))),
                B, Optional.empty()),
            1,
            2);

    assertThat(unmet(facts))
        .containsExactly(
            "gate/definition-changed",
            "gate/revision-changed",
            "gate/epoch-changed",
            "gate/ddl-later",
            "gate/ddl-unknown",
            "gate/report-too-old",
            "gate/missing",
            "gate/surplus",
            "gate/wrong-owner",
            "gate/duplicates",
            "gate/null-violations",
            "gate/misplaced",
            "gate/incomplete",
            "gate/shard-skipped",
            "gate/stream-behind",
            "gate/lag",
            "gate/no-stream",
            "gate/parked",
            "gate/conflicts");
  }

  @Test
  void theLimitsAreTenMinutesAndTwoSeconds() {
    Optional<VerificationReport> report = report("hash", 7, 3, CLEAN, true, List.of());
    assertThat(unmet(facts(report, NOW.plus(Duration.ofMinutes(10)), Duration.ofMillis(1_999))))
        .isEmpty();
    assertThat(unmet(facts(report, NOW.plusSeconds(601), GateCheck.MAX_LAG)))
        .containsExactly("gate/report-too-old", "gate/lag", "gate/lag");
  }

  @Test
  void aShardThatTheReportLacksIsNamed() {
    VerificationReport known = report("hash", 7, 3, CLEAN, true, List.of()).get();
    VerificationReport withoutB =
        new VerificationReport(
            known.id(),
            known.gsi(),
            known.definitionHash(),
            known.topologyRevision(),
            known.epoch(),
            known.state(),
            known.tables(),
            known.startedAt(),
            known.finishedAt(),
            Map.of("shard-a", "0/64"),
            known.counts(),
            List.of(),
            true,
            List.of(),
            0);
    assertThat(unmet(facts(Optional.of(withoutB)))).containsExactly("gate/shard-skipped");
  }

  @Test
  void aTableThatTheReportDoesNotKnowIsNotTakenOnTrust() {
    VerificationReport known = report("hash", 7, 3, CLEAN, true, List.of()).get();
    VerificationReport silent =
        new VerificationReport(
            known.id(),
            known.gsi(),
            known.definitionHash(),
            known.topologyRevision(),
            known.epoch(),
            known.state(),
            Map.of(OWNER_A, "1:aa", LOOKUP, "1:aa"),
            known.startedAt(),
            known.finishedAt(),
            known.positions(),
            known.counts(),
            List.of(),
            true,
            List.of(),
            0);
    assertThat(unmet(facts(Optional.of(silent)))).containsExactly("gate/ddl-unknown");
  }

  private static Optional<GateFacts.Table> table(String mark) {
    return Optional.of(new GateFacts.Table(mark, NOW.minusSeconds(60), new Lsn(90)));
  }

  private static List<String> unmet(GateFacts facts) {
    return GateCheck.unmet(facts).stream().map(UnmetCondition::id).toList();
  }

  private static GateFacts facts(Optional<VerificationReport> report) {
    return facts(report, NOW, Duration.ZERO);
  }

  private static GateFacts facts(Optional<VerificationReport> report, Instant now, Duration lag) {
    Optional<GateFacts.Stream> stream = Optional.of(new GateFacts.Stream(new Lsn(100), lag));
    return new GateFacts(report, "hash", 7, 3, TABLES, now, Map.of(A, stream, B, stream), 0, 0);
  }

  private static Optional<VerificationReport> report(
      String hash,
      long revision,
      long epoch,
      Counts counts,
      boolean complete,
      List<String> skipped) {
    return Optional.of(
        new VerificationReport(
            "1",
            "app.by_email",
            hash,
            revision,
            epoch,
            "write_only",
            Map.of(OWNER_A, "1:aa", OWNER_B, "1:aa", LOOKUP, "1:aa"),
            NOW.minusSeconds(60),
            NOW,
            Map.of("shard-a", "0/64", "shard-b", "0/64"),
            counts,
            List.of(),
            complete,
            skipped,
            0));
  }
}
