package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import org.pgconcord.config.value.Counted;

/** Documents about topologies, as text. */
final class TopologyText {
  private static final int LINES = 30;

  private TopologyText() {}

  /** The places where two documents differ, the first of them one by one. */
  static String changes(JsonNode changes, String none) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < Math.min(changes.size(), LINES); i++) {
      text.append("  ").append(changes.get(i).asText()).append('\n');
    }
    if (changes.size() > LINES) {
      text.append("  and ")
          .append(Counted.of(changes.size() - LINES, "more change", "more changes"))
          .append('\n');
    } else if (changes.isEmpty()) {
      text.append("  ").append(none).append('\n');
    }
    return text.toString();
  }

  /** What a check found, each with its remedy. */
  static String findings(JsonNode findings) {
    StringBuilder text = new StringBuilder();
    for (JsonNode finding : findings) {
      text.append(
          "%s %s: %s [%s]%n    %s%n"
              .formatted(
                  finding.path("severity").asText(),
                  finding.path("path").asText(),
                  finding.path("message").asText(),
                  finding.path("id").asText(),
                  finding.path("remedy").asText()));
    }
    return text.toString();
  }

  /** What {@code topology apply --plan} says. */
  static String plan(JsonNode plan) {
    StringBuilder text = new StringBuilder();
    long revision = plan.path("revision").asLong();
    boolean applies = plan.path("applies").asBoolean();
    text.append(
        applies
            ? "revision %d would be replaced by:%n".formatted(revision)
            : "the document cannot be applied over revision %d:%n".formatted(revision));
    JsonNode changes = plan.path("changes");
    if (applies || !changes.isEmpty()) {
      text.append(changes(changes, "nothing is different from the applied document"));
    }
    text.append(findings(plan.path("findings")));
    plan.path("violations").forEach(line -> text.append(line.asText()).append('\n'));
    plan.path("disabled").forEach(gsi -> text.append(gsi.asText()).append(" is disabled first\n"));
    plan.path("gates").forEach(gsi -> text.append(gsi.asText()).append(": its gate is started\n"));
    if (applies) {
      text.append(
          "nothing has been changed; to apply it, without --plan: --expected-revision "
              + revision
              + "\n");
    }
    return text.toString();
  }
}
