package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.daemon.admin.Json;
import org.pgconcord.daemon.topology.DocumentChanges;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "diff",
    mixinStandardHelpOptions = true,
    description = {
      "Compare the applied document, or an earlier one, with a file.",
      "Exit code 3 where they differ."
    })
final class TopologyDiffCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE", description = "The topology document.")
  private Path file = Path.of("");

  @Option(
      names = "--revision",
      paramLabel = "N",
      description = "Compare with the document that was applied as this revision.")
  private @Nullable Long revision;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  /** {@code revision} is the one that the older document was applied as. */
  record Difference(long revision, List<String> changes) {}

  @Override
  public Integer call() {
    String text = Files.read(file);
    TopologyReader.read(text).orThrow();
    JsonNode applied = admin.client().get(TopologyShowCommand.path(revision));
    Difference difference =
        new Difference(
            applied.path(revision == null ? "document_revision" : "revision").asLong(),
            DocumentChanges.between(applied.path("document"), Json.read(text, file.toString())));
    output.print(Json.tree(difference), TopologyDiffCommand::text);
    return (difference.changes().isEmpty() ? ExitCode.OK : ExitCode.DIFFERENCES).status();
  }

  private static String text(JsonNode difference) {
    return "from revision %d to the file:%n".formatted(difference.path("revision").asLong())
        + TopologyText.changes(difference.path("changes"), "nothing is different");
  }
}
