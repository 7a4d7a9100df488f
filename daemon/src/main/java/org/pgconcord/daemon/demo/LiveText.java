package org.pgconcord.daemon.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Locale;

/** A running build in one short line, whatever the number of shards. */
final class LiveText {
  private LiveText() {}

  /**
   * What the slowest shard does.
   *
   * @param build the document of {@code gsi build}
   */
  static String of(JsonNode build) {
    JsonNode shards = build.path("status").path("shards");
    String phase = "";
    double percent = 100;
    double behind = 0;
    long rate = 0;
    for (JsonNode shard : shards) {
      if (phase.isEmpty() || shard.path("percent").asDouble() < percent) {
        phase = shard.path("phase").asText();
        percent = shard.path("percent").asDouble();
      }
      behind = Math.max(behind, shard.path("lag_seconds").asDouble());
      rate += shard.path("rows_per_second").asLong();
    }
    return switch (phase) {
      case "backfill", "load" ->
          String.format(Locale.ROOT, "%s: %.0f %%, %,d rows/s", phase, percent, rate);
      case "tail", "verify" ->
          String.format(Locale.ROOT, "%s: at most %.1f s behind the writers", phase, behind);
      default -> build.path("step").asText();
    };
  }
}
