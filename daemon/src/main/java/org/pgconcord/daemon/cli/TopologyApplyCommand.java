package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "apply",
    mixinStandardHelpOptions = true,
    description = {
      "Apply a document as the next revision.",
      "An index newly marked enabled is not enabled by this: it starts the gate."
    })
final class TopologyApplyCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE", description = "The topology document.")
  private Path file = Path.of("");

  @Option(
      names = "--expected-revision",
      paramLabel = "N",
      description = "Refuse if the catalog has another revision by now.")
  private @Nullable Long expectedRevision;

  @Option(
      names = "--disable-gsi",
      paramLabel = "NAME",
      description = "A maintained index that the document may end or change; may be repeated.")
  private List<String> disableGsi = List.of();

  @Option(
      names = "--force",
      description = "Apply it although rows are on other shards than it says.")
  private boolean force;

  @Option(
      names = "--plan",
      description = "Say what would be changed and what stands in the way; change nothing.")
  private boolean plan;

  @Option(names = "--comment", paramLabel = "TEXT", description = "Stored with the revision.")
  private String comment = "";

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    Map<String, Object> body = new HashMap<>();
    body.put("document", Files.read(file));
    body.put("disable_gsi", disableGsi);
    body.put("force", force);
    body.put("comment", comment);
    if (expectedRevision != null) {
      body.put("expected_revision", expectedRevision);
    }
    if (plan) {
      return planned(admin.client().post("/topology/plan", body));
    }
    output.print(admin.client().post("/topology", body), TopologyApplyCommand::text);
    return ExitCode.OK.status();
  }

  private int planned(JsonNode document) {
    output.print(document, TopologyText::plan);
    if (document.path("errors").asInt() > 0) {
      return ExitCode.BAD_CONFIGURATION.status();
    }
    return (document.path("applies").asBoolean() ? ExitCode.OK : ExitCode.REFUSED).status();
  }

  /** The document itself is what was given, and in {@code --output json}. */
  static String text(JsonNode applied) {
    StringBuilder text = new StringBuilder();
    text.append("applied as revision %d%n".formatted(applied.path("document_revision").asLong()));
    text.append(
        TopologyText.changes(
            applied.path("changes"), "nothing is different from the document before"));
    return text + TopologyShowCommand.states(applied);
  }
}
