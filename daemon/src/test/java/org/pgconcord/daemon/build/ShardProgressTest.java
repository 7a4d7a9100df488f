package org.pgconcord.daemon.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

class ShardProgressTest {
  private static final GsiName GSI = new GsiName("app", "by_email");
  private static final ShardId SHARD = new ShardId("shard-a");

  @Test
  void theLineIsTheDocumentedFormat() {
    ShardProgress progress =
        new ShardProgress(
            GSI,
            SHARD,
            "backfill",
            120_000,
            200_000,
            60.0,
            81_000,
            Duration.ofSeconds(1),
            0,
            0.0,
            16_777_216);
    assertThat(progress.line())
        .isEqualTo(
            "gsi progress gsi=app.by_email shard=shard-a phase=backfill rows=120000"
                + " rows_estimated=200000 percent=60.0 rows_per_second=81000 eta=1s lag_bytes=0"
                + " lag_seconds=0.0 wal_retained_bytes=16777216");
  }

  @Test
  void percentNeverFallsAndIs100OnlyAtTheEnd() {
    ProgressMeter meter = new ProgressMeter(GSI, SHARD);
    meter.phase("backfill", 100);
    meter.rows(50, 0);
    assertThat(meter.now(0, 0, 0).percent()).isEqualTo(50.0);
    meter.phase("backfill", 400);
    meter.rows(60, seconds(1));
    assertThat(meter.now(0, 0, 0).percent()).isEqualTo(50.0);
    meter.rows(5_000, seconds(2));
    assertThat(meter.now(0, 0, 0).percent()).isLessThan(100.0);
    assertThat(meter.now(0, 0, 0).rowsEstimated()).isEqualTo(5_000);
    meter.end();
    assertThat(meter.now(0, 0, 0).percent()).isEqualTo(100.0);
  }

  @Test
  void aPhaseThatComesAgainBeginsAtNothingAndIsLoggedAgain() {
    List<String> lines = new ArrayList<>();
    ProgressBoard board =
        new ProgressBoard(
            () -> 0,
            logged ->
                logged.forEach(p -> lines.add(p.phase() + " " + p.rows() + " " + p.percent())));
    for (int i = 0; i < 2; i++) {
      board.begin(GSI, SHARD, "verify");
      board.report(GSI, SHARD, "verify", 5, 10);
      board.logRunning();
      board.end(GSI, SHARD);
    }
    List<String> once = List.of("verify 0 0.0", "verify 5 50.0", "verify 5 100.0");
    assertThat(lines)
        .containsExactlyElementsOf(Stream.of(once, once).flatMap(List::stream).toList());
  }

  @Test
  void ratesAndEtaComeFromTheLastSeconds() {
    ProgressMeter meter = new ProgressMeter(GSI, SHARD);
    meter.phase("backfill", 10_000);
    meter.rows(0, 0);
    assertThat(meter.now(0, 0, 0).etaText()).isEqualTo("unknown");
    meter.rows(1_000, seconds(1));
    assertThat(meter.now(0, 0, 0).rowsPerSecond()).isEqualTo(1_000);
    assertThat(meter.now(0, 0, 0).etaText()).isEqualTo("9s");
  }

  private static long seconds(long count) {
    return TimeUnit.SECONDS.toNanos(count);
  }
}
