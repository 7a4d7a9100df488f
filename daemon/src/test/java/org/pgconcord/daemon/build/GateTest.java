package org.pgconcord.daemon.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

class GateTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final GateFacts.Stream LIVE = new GateFacts.Stream(true, 0.1, true);
  private static final GateFacts.Report CLEAN =
      new GateFacts.Report("12", true, "", 7, "hash", NOW.minusSeconds(30));

  @Test
  void aCleanAndFreshReportOverLiveStreamsOpensIt() {
    assertThat(Gate.conditions(facts(GsiState.TAILING, CLEAN, LIVE))).allMatch(Condition::met);
  }

  @Test
  void everyUnmetConditionIsListedAtOnce() {
    GateFacts.Report bad =
        new GateFacts.Report(
            "3", false, "missing 2", 6, "other", NOW.minus(Duration.ofMinutes(11)));
    List<Condition> conditions =
        Gate.conditions(facts(GsiState.FILLING, bad, new GateFacts.Stream(false, 14, false)));
    assertThatThrownBy(() -> Gate.require(new GsiName("app", "by_email"), conditions))
        .isInstanceOfSatisfying(
            ConcordException.class,
            refusal -> {
              assertThat(refusal)
                  .hasMessage("app.by_email cannot be enabled: 8 conditions are not met");
              assertThat(refusal.detail())
                  .contains(
                      "state is tailing: it is filling",
                      "the report is clean: missing 2",
                      "the report is fresh: it is 11 minutes old",
                      "the report is of this definition",
                      "the report is of this topology revision: it is of revision 6, now is 7",
                      "the stream runs on shard-a",
                      "lag is under 2 s on shard-a: it is 14.0 s",
                      "the stream is past the report on shard-a");
            });
  }

  @Test
  void withoutReportOrStreamsItStaysShut() {
    GateFacts nothing =
        new GateFacts(
            GsiState.TAILING,
            7,
            "hash",
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            0,
            0,
            List.of(),
            NOW);
    assertThat(Gate.conditions(nothing))
        .filteredOn(condition -> !condition.met())
        .extracting(Condition::name)
        .containsExactly("a verification report", "the streams run");
  }

  private static GateFacts facts(GsiState state, GateFacts.Report report, GateFacts.Stream stream) {
    return new GateFacts(
        state,
        7,
        "hash",
        Optional.of(report),
        Optional.empty(),
        Map.of(new ShardId("shard-a"), stream),
        0,
        0,
        List.of(),
        NOW);
  }
}
