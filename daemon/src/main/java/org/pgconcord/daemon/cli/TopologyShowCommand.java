package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.daemon.admin.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "show",
    mixinStandardHelpOptions = true,
    description = "Show the applied document and, beside each index's wish, its state.")
final class TopologyShowCommand implements Callable<Integer> {
  @Option(
      names = "--revision",
      paramLabel = "N",
      description = "Print the document that was applied as this revision instead.")
  private @Nullable Long revision;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    output.print(
        admin.client().get(path(revision)),
        revision == null ? TopologyShowCommand::text : past -> Json.write(past.path("document")));
    return ExitCode.OK.status();
  }

  /** Where the applied document is asked for, or that of a revision. */
  static String path(@Nullable Long revision) {
    return revision == null ? "/topology" : "/topology/history/" + revision;
  }

  static String text(JsonNode topology) {
    StringBuilder text = new StringBuilder();
    text.append(Json.write(topology.path("document"))).append('\n');
    text.append(
        "revision %d; the document is revision %d, applied %s%n"
            .formatted(
                topology.path("revision").asLong(),
                topology.path("document_revision").asLong(),
                topology.path("applied_at").asText()));
    return text + states(topology) + routers(topology);
  }

  /** Each router with its lease. */
  private static String routers(JsonNode topology) {
    StringBuilder text = new StringBuilder();
    text.append("%-24s %-24s %-12s %s%n".formatted("router", "address", "acknowledged", "lease"));
    for (JsonNode router : topology.path("routers")) {
      text.append(
          "%-24s %-24s %-12d %s %s%n"
              .formatted(
                  router.path("router").asText(),
                  router.path("address").asText(),
                  router.path("acknowledged_revision").asLong(),
                  router.path("live").asBoolean() ? "until" : "lapsed",
                  router.path("lease_until").asText()));
    }
    return text.toString();
  }

  /** Each index's wish and state. */
  static String states(JsonNode topology) {
    StringBuilder text = new StringBuilder();
    text.append("%-24s %-16s %s%n".formatted("index", "wish", "state"));
    for (JsonNode gsi : topology.path("gsis")) {
      String reason = gsi.path("reason").asText();
      text.append(
          "%-24s %-16s %s%s%n"
              .formatted(
                  gsi.path("gsi").asText(),
                  gsi.path("wish").asBoolean() ? "enabled" : "not enabled",
                  gsi.path("state").asText(),
                  reason.isEmpty() ? "" : " (" + reason + ")"));
    }
    return text.toString();
  }
}
