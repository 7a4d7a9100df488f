package org.pgconcord.verifier.gate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Counted;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.report.Counts;
import org.pgconcord.verifier.report.VerificationReport;

/** Lists everything that stands between an index and being enabled. Pure. */
public final class GateCheck {
  /** A report older than this says too little about now. */
  public static final Duration MAX_AGE = Duration.ofMinutes(10);

  /** A stream must be closer than this. */
  public static final Duration MAX_LAG = Duration.ofSeconds(2);

  private final GateFacts facts;
  private final List<UnmetCondition> unmet = new ArrayList<>();

  private GateCheck(GateFacts facts) {
    this.facts = facts;
  }

  /** All unmet conditions, in a fixed order; empty when the index may be enabled. */
  public static List<UnmetCondition> unmet(GateFacts facts) {
    GateCheck check = new GateCheck(facts);
    facts.report().ifPresentOrElse(check::report, check::noReport);
    check.streams();
    check.owners();
    return List.copyOf(check.unmet);
  }

  private void noReport() {
    add("gate/no-report", "there is no verification report; run a verification");
  }

  private void report(VerificationReport report) {
    if (!report.definitionHash().equals(facts.definitionHash())) {
      add("gate/definition-changed", "the report is of another definition of the index");
    }
    if (report.topologyRevision() != facts.topologyRevision()) {
      add(
          "gate/revision-changed",
          "the report is of topology revision %d, now it is %d"
              .formatted(report.topologyRevision(), facts.topologyRevision()));
    }
    if (report.epoch() != facts.epoch()) {
      add(
          "gate/epoch-changed",
          "the report is of epoch %d, now it is %d".formatted(report.epoch(), facts.epoch()));
    }
    facts.tables().forEach((place, table) -> table(report, place, table));
    age(report);
    clean(report);
  }

  /** Versions are compared and not times, so that no clock can hide an ALTER. */
  private void table(VerificationReport report, String place, Optional<GateFacts.Table> table) {
    String verified = report.tables().get(place);
    if (table.isEmpty()) {
      add("gate/ddl-unknown", "whether %s was altered cannot be asked now".formatted(place));
    } else if (verified == null) {
      add(
          "gate/ddl-unknown",
          "the report does not say of which version of %s it is".formatted(place));
    } else if (!verified.equals(table.get().mark())) {
      add(
          "gate/ddl-later",
          "%s was altered after the verification began, seen at %s before log position %s; verify again"
              .formatted(place, table.get().seenAt(), table.get().at()));
    }
  }

  private void age(VerificationReport report) {
    Duration age = Duration.between(report.finishedAt(), facts.now());
    if (age.compareTo(MAX_AGE) > 0) {
      add(
          "gate/report-too-old",
          "the report is %s old, at most %d are allowed"
              .formatted(Counted.of(age.toMinutes(), "minute"), MAX_AGE.toMinutes()));
    }
  }

  private void clean(VerificationReport report) {
    Counts counts = report.counts();
    none("gate/missing", counts.missing(), "owner row without entry", "owner rows without entry");
    none("gate/surplus", counts.surplus(), "entry without owner row", "entries without owner row");
    none(
        "gate/wrong-owner",
        counts.wrongOwner(),
        "entry that names the wrong owner",
        "entries that name the wrong owner");
    none(
        "gate/duplicates",
        counts.duplicates(),
        "key with several owner rows in the report",
        "keys with several owner rows in the report");
    none(
        "gate/null-violations",
        counts.nullViolations(),
        "owner row with a NULL key",
        "owner rows with a NULL key");
    none(
        "gate/misplaced",
        counts.misplaced(),
        "owner row on a shard where it does not belong",
        "owner rows on a shard where they do not belong");
    if (!report.complete()) {
      add("gate/incomplete", "the verification gave up before it had found every difference");
    }
    for (String shard : report.skippedShards()) {
      add("gate/shard-skipped", "shard " + shard + " was not verified");
    }
  }

  private void streams() {
    facts.streams().forEach(this::stream);
  }

  private void stream(ShardId shard, Optional<GateFacts.Stream> stream) {
    if (stream.isEmpty()) {
      add("gate/no-stream", "shard " + shard + " has no change stream");
      return;
    }
    Lsn verified = position(shard);
    if (verified != null && stream.get().applied().isBefore(verified)) {
      add(
          "gate/stream-behind",
          "the stream of shard %s is at %s, before the report's %s"
              .formatted(shard, stream.get().applied(), verified));
    }
    if (stream.get().lag().compareTo(MAX_LAG) >= 0) {
      add(
          "gate/lag",
          "the stream of shard %s is %.1f s behind, %d s or more are too much"
              .formatted(shard, stream.get().lag().toMillis() / 1000.0, MAX_LAG.toSeconds()));
    }
    if (facts.report().isPresent() && verified == null) {
      add("gate/shard-skipped", "shard " + shard + " is not in the report");
    }
  }

  private @Nullable Lsn position(ShardId shard) {
    Map<String, String> positions =
        facts.report().map(VerificationReport::positions).orElse(Map.of());
    String position = positions.get(shard.uid());
    return position == null ? null : Lsn.parse(position);
  }

  private void owners() {
    none(
        "gate/parked",
        facts.openParked(),
        "insert that waits for another shard's delete",
        "inserts that wait for another shard's delete");
    none(
        "gate/conflicts",
        facts.conflicts(),
        "key with several owners, not resolved",
        "keys with several owners, not resolved");
  }

  private void none(String id, long count, String one, String many) {
    if (count > 0) {
      add(id, Counted.of(count, one, many));
    }
  }

  private void add(String id, String message) {
    unmet.add(new UnmetCondition(id, message));
  }
}
