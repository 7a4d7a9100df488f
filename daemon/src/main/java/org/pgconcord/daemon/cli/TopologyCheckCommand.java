package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.daemon.admin.FindingsDocument;
import org.pgconcord.daemon.admin.Json;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Read a topology document and list everything that is wrong with it.")
final class TopologyCheckCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE", description = "The topology document.")
  private Path file = Path.of("");

  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    List<Finding> findings = TopologyReader.read(Files.read(file)).findings();
    FindingsDocument document = FindingsDocument.of("document", findings);
    output.print(Json.tree(document), TopologyCheckCommand::text);
    return (document.errors() == 0 ? ExitCode.OK : ExitCode.BAD_CONFIGURATION).status();
  }

  private static String text(JsonNode document) {
    StringBuilder text = new StringBuilder();
    for (JsonNode finding : document.path("findings")) {
      text.append(
          "%s %s: %s [%s]%n    %s%n"
              .formatted(
                  finding.path("severity").asText(),
                  finding.path("path").asText(),
                  finding.path("message").asText(),
                  finding.path("id").asText(),
                  finding.path("remedy").asText()));
    }
    text.append(document.path("errors").asInt()).append(" errors\n");
    if (document.path("checked").asText().equals("document")) {
      text.append("the document alone was checked, no table\n");
    }
    return text.toString();
  }
}
