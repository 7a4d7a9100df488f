package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The documents about an index as text for people. */
public final class GsiText {
  private GsiText() {}

  static String status(JsonNode status) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format("%s: %s", status.path("gsi").asText(), status.path("state").asText()));
    if (!status.path("reason").asText().isEmpty()) {
      text.append(" (").append(status.path("reason").asText()).append(')');
    }
    text.append(", epoch ").append(status.path("epoch").asLong()).append('\n');
    text.append("report: ").append(report(status.get("report"))).append('\n');
    text.append("conflicts: ").append(status.path("conflicts").asLong()).append('\n');
    if (!status.path("shards").isEmpty()) {
      text.append(shards(status.path("shards")));
    }
    return text.toString();
  }

  static String check(JsonNode check) {
    StringBuilder text = new StringBuilder();
    for (JsonNode unmet : check.path("unmet")) {
      text.append(
          "not met: %s [%s]%n"
              .formatted(unmet.path("message").asText(), unmet.path("id").asText()));
    }
    for (JsonNode conflict : check.path("conflicts")) {
      text.append(
          "several owners: key %s, shard key %s on %s %s%n"
              .formatted(
                  conflict.path("key").asText(),
                  conflict.path("shard_key").asText(),
                  conflict.path("shard").path("uid").asText(),
                  conflict.path("primary_key").asText()));
    }
    String gsi = check.path("gsi").asText();
    boolean ready = check.path("ready").asBoolean();
    return text.append(gsi + (ready ? " can be enabled\n" : " cannot be enabled\n")).toString();
  }

  /** One line about a running build. */
  public static String live(JsonNode build) {
    List<String> parts = new ArrayList<>();
    for (JsonNode shard : build.path("status").path("shards")) {
      parts.add(
          String.format(
              Locale.ROOT,
              "%s %s %.1f%% %,d rows/s eta %s",
              shard.path("shard").asText(),
              shard.path("phase").asText(),
              shard.path("percent").asDouble(),
              shard.path("rows_per_second").asLong(),
              shard.path("eta").asText()));
    }
    return build.path("step").asText() + (parts.isEmpty() ? "" : ": " + String.join(" | ", parts));
  }

  private static String report(@org.jspecify.annotations.Nullable JsonNode report) {
    if (report == null || report.isNull()) {
      return "none";
    }
    return String.format(
        "%s, %s, %s",
        report.path("id").asText(),
        report.path("clean").asBoolean() ? "clean" : "NOT clean",
        report.path("at").asText());
  }

  private static String shards(JsonNode shards) {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format("%-12s %-10s %12s %8s %10s%n", "shard", "phase", "rows", "percent", "lag"));
    for (JsonNode shard : shards) {
      text.append(
          String.format(
              Locale.ROOT,
              "%-12s %-10s %12d %7.1f%% %9.1fs%n",
              shard.path("shard").asText(),
              shard.path("phase").asText(),
              shard.path("rows").asLong(),
              shard.path("percent").asDouble(),
              shard.path("lag_seconds").asDouble()));
    }
    return text.toString();
  }
}
