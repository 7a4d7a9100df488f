package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** The documents about reference tables as text for people; reports are {@link ReportText}'s. */
public final class ReferenceText {
  private ReferenceText() {}

  /** Of one table, or of all. */
  public static String status(JsonNode document) {
    StringBuilder text = new StringBuilder();
    if (document.has("references")) {
      document.path("references").forEach(table -> text.append(table(table)));
      return text.isEmpty() ? "no reference tables are declared\n" : text.toString();
    }
    return table(document);
  }

  private static String table(JsonNode table) {
    StringBuilder text = new StringBuilder();
    text.append("%s, report: %s%n".formatted(table.path("table").asText(), report(table)));
    for (JsonNode copy : table.path("copies")) {
      String shard = copy.path("shard").asText();
      text.append("  ").append(shard);
      if (shard.equals(table.path("leader").asText())) {
        text.append(" (leader)");
      }
      text.append(": ").append(copy.path("state").asText());
      if (!copy.path("reason").asText().isEmpty()) {
        text.append(
            " since %s, %s"
                .formatted(copy.path("changed_at").asText(), copy.path("reason").asText()));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String report(JsonNode table) {
    JsonNode report = table.path("report");
    return report.isObject()
        ? "%s, %s, %s"
            .formatted(
                report.path("id").asText(),
                report.path("clean").asBoolean() ? "clean" : "NOT clean",
                report.path("at").asText())
        : "none";
  }

  /** What was, or would be, changed. */
  public static String repair(JsonNode report) {
    StringBuilder text = new StringBuilder();
    boolean dryRun = report.path("dry_run").asBoolean();
    text.append(
        "%s %s %s as on %s%n"
            .formatted(
                report.path("table").asText(),
                !report.path("changed").asBoolean() ? "was" : dryRun ? "would be made" : "is now",
                "the same everywhere",
                report.path("source").asText()));
    for (JsonNode copy : report.path("copies")) {
      text.append(copy(copy));
    }
    return text.toString();
  }

  private static String copy(JsonNode copy) {
    String shard = copy.path("shard").asText();
    if (copy.path("source").asBoolean()) {
      return "  %s: the source%n".formatted(shard);
    }
    List<String> changes = new ArrayList<>();
    for (String change : List.of("inserted", "updated", "deleted")) {
      if (copy.path(change).asLong() > 0) {
        changes.add(copy.path(change).asLong() + " " + change);
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "  %s: %s%n"
            .formatted(shard, changes.isEmpty() ? "no difference" : String.join(", ", changes)));
    copy.path("samples").forEach(sample -> text.append(ReportText.row(sample)));
    return text.toString();
  }
}
