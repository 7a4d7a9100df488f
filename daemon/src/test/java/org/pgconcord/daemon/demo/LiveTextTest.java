package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgconcord.daemon.admin.Json;

final class LiveTextTest {
  @Test
  void theSlowestShardIsShown() {
    assertThat(text("backfill", 80, "backfill", 12.3)).isEqualTo("backfill: 12 %, 2,000 rows/s");
    assertThat(text("load", 100, "backfill", 90)).isEqualTo("backfill: 90 %, 2,000 rows/s");
    assertThat(text("tail", 0, "tail", 0)).isEqualTo("tail: at most 1.5 s behind the writers");
    assertThat(text("slot", 0, "slot", 0)).isEqualTo("filling");
  }

  private static String text(String phaseA, double percentA, String phaseB, double percentB) {
    String shard =
        "{\"phase\": \"%s\", \"percent\": %s, \"rows_per_second\": 1000, \"lag_seconds\": %s}";
    String document =
        "{\"step\": \"filling\", \"status\": {\"shards\": [%s, %s]}}"
            .formatted(
                shard.formatted(phaseA, percentA, 0.2), shard.formatted(phaseB, percentB, 1.5));
    return LiveText.of(Json.read(document, "the test"));
  }
}
