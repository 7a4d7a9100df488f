package org.pgconcord.daemon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.pgconcord.daemon.admin.Json;

class ReportTextTest {
  @Test
  void aReportWithoutDifferencesSaysWhyItIsNotClean() {
    assertThat(index(List.of("shard-a", "shard-b"), false))
        .contains("NOT clean", "not compared: the stream of shard-a, shard-b")
        .doesNotContain("lower bounds");
  }

  @Test
  void countsThatStoppedShortAreCalledLowerBounds() {
    assertThat(index(List.of(), false)).contains("lower bounds");
    assertThat(index(List.of(), true)).doesNotContain("lower bounds", "not compared");
  }

  private static String index(List<String> skipped, boolean complete) {
    return ReportText.of(
        Json.tree(
            Map.of(
                "report",
                "7",
                "gsi",
                "app.by_email",
                "clean",
                false,
                "counts",
                Map.of("expected", 2, "actual", 2, "missing", 0),
                "skipped_shards",
                skipped,
                "complete",
                complete,
                "samples",
                List.of())));
  }
}
