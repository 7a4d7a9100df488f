package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
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
    description = {
      "Check servers, roles and tables before anything relies on them.",
      "Asks the daemon, or with --config looks from here with no daemon running."
    })
final class DoctorCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Look from here by this configuration, without asking a daemon.")
  private @Nullable Path config;

  @Option(
      names = "--print-grants",
      description =
          "Print the SQL that the service role needs on each server, and look at nothing.")
  private boolean printGrants;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    if (printGrants) {
      output.print(grants(), DoctorCommand::lines);
      return ExitCode.OK.status();
    }
    JsonNode document = checks();
    output.print(document, DoctorCommand::text);
    return (document.path("healthy").asBoolean() ? ExitCode.OK : ExitCode.FAILED).status();
  }

  private JsonNode grants() {
    if (config == null) {
      return admin.client().get("/doctor/grants");
    }
    DaemonSettings settings = Settings.read(config, Map.of());
    return Json.tree(Map.of("sql", new GrantScript(settings, topology(settings)).lines()));
  }

  private JsonNode checks() {
    if (config == null) {
      return admin.client().get("/doctor");
    }
    DaemonSettings settings = Settings.read(config, Map.of());
    ShardConnections connections = ShardConnections.of(settings, System.getenv());
    return Json.tree(
        ChecksDocument.of(new Doctor(settings, connections, topology(settings)).examine()));
  }

  private static Optional<Topology> topology(DaemonSettings settings) {
    return settings.topology().map(file -> TopologyReader.read(Files.read(file)).orThrow());
  }

  private static String lines(JsonNode document) {
    List<String> lines = new ArrayList<>();
    document.path("sql").forEach(line -> lines.add(line.asText()));
    return String.join("\n", lines);
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
