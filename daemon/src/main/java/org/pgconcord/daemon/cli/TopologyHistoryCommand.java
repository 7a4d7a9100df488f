package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "history",
    mixinStandardHelpOptions = true,
    description = {
      "List the documents that were applied, the newest first, and what each changed.",
      "\"topology show --revision N\" prints one, which can be applied again."
    })
final class TopologyHistoryCommand implements Callable<Integer> {
  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    output.print(admin.client().get("/topology/history"), TopologyHistoryCommand::text);
    return ExitCode.OK.status();
  }

  static String text(JsonNode history) {
    StringBuilder text = new StringBuilder();
    JsonNode documents = history.path("documents");
    for (int i = 0; i < documents.size(); i++) {
      JsonNode entry = documents.get(i);
      String comment = entry.path("comment").asText();
      text.append(
          "revision %d, applied %s%s%n"
              .formatted(
                  entry.path("revision").asLong(),
                  entry.path("applied_at").asText(),
                  comment.isEmpty() ? "" : ": " + comment));
      text.append(
          TopologyText.changes(
              entry.path("changes"),
              i + 1 < documents.size()
                  ? "nothing is different from the document before"
                  : "the oldest that is listed"));
    }
    return text.toString();
  }
}
