package org.pgconcord.daemon.build;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;

/**
 * Decides whether an index may be enabled: only on proof. The answer is always the whole list, so
 * that a person meets everything at once instead of one refusal after another. Pure.
 */
public final class Gate {
  static final Duration REPORT_AGE_MAX = Duration.ofMinutes(10);
  static final double LAG_SECONDS_MAX = 2.0;

  private Gate() {}

  public static List<Condition> conditions(GateFacts facts) {
    List<Condition> conditions = new ArrayList<>();
    boolean rightState = facts.state() == GsiState.TAILING || facts.state() == GsiState.WRITE_ONLY;
    conditions.add(Condition.of("state is tailing", rightState, "it is " + facts.state().word()));
    conditions.add(
        Condition.of(
            "tables as the index needs them",
            facts.schemaFindings().isEmpty(),
            String.join("; ", facts.schemaFindings())));
    conditions.addAll(report(facts));
    conditions.addAll(streams(facts));
    conditions.add(
        Condition.of(
            "no conflicts",
            facts.conflicts() == 0,
            facts.conflicts() + " keys have several owners"));
    conditions.add(
        Condition.of(
            "no inserts wait for another stream",
            facts.parked() == 0,
            facts.parked() + " are waiting"));
    return conditions;
  }

  public static boolean ready(List<Condition> conditions) {
    return conditions.stream().allMatch(Condition::met);
  }

  /** Throws {@code gsi/gate-refused} with every unmet condition, one a line. */
  public static void require(GsiName gsi, List<Condition> conditions) {
    List<String> unmet =
        conditions.stream().filter(condition -> !condition.met()).map(Condition::line).toList();
    if (!unmet.isEmpty()) {
      throw ErrorCode.GATE_REFUSED
          .because(gsi + " cannot be enabled: " + counted(unmet.size()))
          .withDetail(String.join("\n", unmet));
    }
  }

  private static List<Condition> report(GateFacts facts) {
    Optional<GateFacts.Report> stored = facts.report();
    if (stored.isEmpty()) {
      return List.of(Condition.of("a verification report", false, "there is none: run gsi verify"));
    }
    GateFacts.Report report = stored.get();
    Duration age = Duration.between(report.at(), facts.now());
    return List.of(
        Condition.of("the report is clean", report.clean(), report.differences()),
        Condition.of(
            "the report is fresh",
            age.compareTo(REPORT_AGE_MAX) <= 0,
            "it is " + age.toMinutes() + " minutes old, 10 are allowed"),
        Condition.of(
            "the report is of this definition",
            report.definition().equals(facts.definition()),
            "index or tables changed since"),
        Condition.of(
            "the report is of this topology revision",
            report.revision() == facts.revision(),
            "it is of revision " + report.revision() + ", now is " + facts.revision()),
        Condition.of(
            "no DDL since the report",
            facts.ddlSeenAt().map(at -> at.isBefore(report.at())).orElse(true),
            "owner or lookup table changed after it"));
  }

  private static List<Condition> streams(GateFacts facts) {
    List<Condition> conditions = new ArrayList<>();
    if (facts.streams().isEmpty()) {
      conditions.add(Condition.of("the streams run", false, "none does"));
    }
    facts.streams().entrySet().stream()
        .sorted(java.util.Map.Entry.comparingByKey())
        .forEach(
            entry -> {
              GateFacts.Stream stream = entry.getValue();
              String on = " on " + entry.getKey();
              conditions.add(Condition.of("the stream runs" + on, stream.running(), "it does not"));
              conditions.add(
                  Condition.of(
                      "lag is under 2 s" + on,
                      stream.lagSeconds() < LAG_SECONDS_MAX,
                      String.format(java.util.Locale.ROOT, "it is %.1f s", stream.lagSeconds())));
              if (facts.report().isPresent()) {
                conditions.add(
                    Condition.of(
                        "the stream is past the report" + on,
                        stream.pastReport(),
                        "it has not applied up to the report's position yet"));
              }
            });
    return conditions;
  }

  private static String counted(int unmet) {
    return unmet == 1 ? "1 condition is not met" : unmet + " conditions are not met";
  }
}
