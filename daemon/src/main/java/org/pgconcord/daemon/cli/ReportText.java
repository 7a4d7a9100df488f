package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.config.value.Counted;

/** A verification report as text for people; the JSON form has every field. */
public final class ReportText {
  private ReportText() {}

  public static String of(JsonNode report) {
    return report.has("copies") ? reference(report) : index(report);
  }

  private static String index(JsonNode report) {
    StringBuilder text = new StringBuilder();
    text.append(
        "report %s: %s is %s%n"
            .formatted(
                report.path("report").asText(), report.path("gsi").asText(), verdict(report)));
    JsonNode counts = report.path("counts");
    text.append(
        "%s expected, %d found%n"
            .formatted(
                Counted.of(counts.path("expected").asLong(), "entry", "entries"),
                counts.path("actual").asLong()));
    text.append(wrong(counts));
    if (!report.path("skipped_shards").isEmpty()) {
      text.append(
          "not compared: the stream of %s did not get there in time; verify again when its lag is small%n"
              .formatted(texts(report.path("skipped_shards"))));
    } else {
      text.append(bounds(report));
    }
    for (JsonNode sample : report.path("samples")) {
      text.append("  ").append(sample(sample)).append('\n');
    }
    if (report.path("state").asText().equals("tailing") && settleable(counts)) {
      text.append("pgconcord gsi build %s settles them%n".formatted(report.path("gsi").asText()));
    }
    return text.toString();
  }

  private static boolean settleable(JsonNode counts) {
    return counts.path("missing").asLong()
            + counts.path("surplus").asLong()
            + counts.path("wrong_owner").asLong()
        > 0;
  }

  private static String wrong(JsonNode counts) {
    List<String> wrong = new ArrayList<>();
    counts
        .properties()
        .forEach(
            count -> {
              boolean size = count.getKey().equals("expected") || count.getKey().equals("actual");
              if (!size && count.getValue().asLong() > 0) {
                wrong.add(count.getKey().replace('_', ' ') + " " + count.getValue().asLong());
              }
            });
    return wrong.isEmpty() ? "" : String.join(", ", wrong) + "\n";
  }

  private static String sample(JsonNode sample) {
    List<String> owners = new ArrayList<>();
    for (JsonNode owner : sample.path("owners")) {
      List<String> key = new ArrayList<>();
      owner.path("primary_key").forEach(value -> key.add(value.asText()));
      owners.add(
          "shard key %s on %s, primary key (%s)"
              .formatted(
                  owner.path("shard_key").asText(),
                  owner.path("shard").asText(),
                  String.join(", ", key)));
    }
    String entry =
        sample.hasNonNull("entry") ? "entry names " + sample.path("entry").asText() : "no entry";
    return "%s: key %s; %s; %s"
        .formatted(
            sample.path("difference").asText(),
            sample.path("key").asText(),
            owners.isEmpty() ? "no owner row" : String.join(" and ", owners),
            entry);
  }

  private static String reference(JsonNode report) {
    StringBuilder text = new StringBuilder();
    text.append(
        "report %s: %s is %s%n"
            .formatted(
                report.path("report").asText(), report.path("table").asText(), verdict(report)));
    for (JsonNode copy : report.path("copies")) {
      text.append(copy(copy));
    }
    return text.append(bounds(report)).toString();
  }

  private static String bounds(JsonNode report) {
    boolean all = report.path("complete").asBoolean(true);
    return all ? "" : "so many differences that the counts are lower bounds\n";
  }

  private static String copy(JsonNode copy) {
    List<String> wrong = new ArrayList<>();
    for (String kind : List.of("missing", "surplus", "different", "in_flight")) {
      if (copy.path(kind).asLong() > 0) {
        wrong.add(copy.path(kind).asLong() + " " + kind.replace('_', ' '));
      }
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "  %s: %s, %s%n"
            .formatted(
                copy.path("shard").asText(),
                Counted.of(copy.path("rows").asLong(), "row"),
                wrong.isEmpty() ? "no difference" : String.join(", ", wrong)));
    copy.path("samples").forEach(sample -> text.append(row(sample)));
    return text.toString();
  }

  /** A row that differs from the leading copy's. */
  static String row(JsonNode sample) {
    return "    row (%s): %s%s%n"
        .formatted(
            texts(sample.path("key")),
            sample.path("difference").asText(),
            sample.path("columns").isEmpty() ? "" : " in " + texts(sample.path("columns")));
  }

  private static String texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(value -> texts.add(value.asText()));
    return String.join(", ", texts);
  }

  private static String verdict(JsonNode report) {
    return report.path("clean").asBoolean() ? "clean" : "NOT clean";
  }
}
