package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.daemon.admin.ChecksDocument;
import org.pgconcord.daemon.admin.Json;
import org.pgconcord.daemon.doctor.Doctor;
import org.pgconcord.daemon.doctor.GrantScript;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    description = "Check servers, roles and tables before anything relies on them.")
final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "The daemon's configuration; no daemon needs to run.")
  private @Nullable Path config;

  @Option(
      names = "--print-grants",
      description =
          "Print the SQL that the service role needs on each server, and look at nothing.")
  private boolean printGrants;

  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    if (config == null) {
      throw new IllegalStateException("picocli requires --config");
    }
    DaemonSettings settings = Settings.read(config, Map.of());
    Optional<Topology> topology =
        settings.topology().map(file -> TopologyReader.read(Files.read(file)).orThrow());
    if (printGrants) {
      List<String> lines = new GrantScript(settings, topology).lines();
      output.print(Json.tree(Map.of("sql", lines)), document -> String.join("\n", lines));
      return ExitCode.OK.status();
    }
    ShardConnections connections = ShardConnections.of(settings, System.getenv());
    ChecksDocument document =
        ChecksDocument.of(new Doctor(settings, connections, topology).examine());
    output.print(Json.tree(document), DoctorCommand::text);
    return (document.healthy() ? ExitCode.OK : ExitCode.FAILED).status();
  }

  static String text(JsonNode document) {
    StringBuilder text = new StringBuilder();
    for (JsonNode check : document.path("checks")) {
      text.append(
          "%-8s %s: %s [%s]%n"
              .formatted(
                  check.path("level").asText(),
                  check.path("where").asText(),
                  check.path("message").asText(),
                  check.path("id").asText()));
      if (!check.path("remedy").asText().isEmpty()) {
        text.append("         ")
            .append(check.path("remedy").asText().replace("\n", "\n         "))
            .append('\n');
      }
    }
    return text.append(document.path("healthy").asBoolean() ? "healthy\n" : "not healthy\n")
        .toString();
  }
}
