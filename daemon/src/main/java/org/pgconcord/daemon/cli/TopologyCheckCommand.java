package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.topology.TopologyReading;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.admin.FindingsDocument;
import org.pgconcord.daemon.admin.Json;
import org.pgconcord.daemon.topology.ShardTables;
import org.pgconcord.router.plan.SchemaFile;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Read a topology document and list everything that is wrong with it.")
final class TopologyCheckCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "FILE", description = "The topology document.")
  private Path file = Path.of("");

  @ArgGroup private @Nullable Against against;

  @Mixin private Output output = new Output();

  /** One of the two, or none. */
  static final class Against {
    @Option(
        names = "--config",
        paramLabel = "FILE",
        description = "The daemon's configuration: check the tables on its shards as well.")
    private @Nullable Path config;

    @Option(
        names = "--schema",
        paramLabel = "FILE",
        description = "Check the tables in a file as pg_dump --schema-only writes it as well.")
    private @Nullable Path schema;
  }

  @Override
  public Integer call() {
    TopologyReading reading = TopologyReader.read(Files.read(file));
    List<Finding> findings = new ArrayList<>(reading.findings());
    String checked = "document";
    if (reading.topology().isPresent() && against != null) {
      checked = against.config != null ? "shards" : "schema";
      findings.addAll(compare(reading.topology().get(), against));
    }
    FindingsDocument document = FindingsDocument.of(checked, findings);
    output.print(Json.tree(document), TopologyCheckCommand::text);
    return (document.errors() == 0 ? ExitCode.OK : ExitCode.BAD_CONFIGURATION).status();
  }

  private static List<Finding> compare(Topology topology, Against against) {
    if (against.schema != null) {
      return TopologyCheck.schemas(
          topology, ShardTables.survey(topology, SchemaFile.read(Files.read(against.schema))));
    }
    DaemonSettings settings = Settings.read(Objects.requireNonNull(against.config), Map.of());
    Set<ShardId> configured = settings.shards().keySet();
    List<Finding> findings = new ArrayList<>(TopologyCheck.shards(topology, configured));
    if (configured.containsAll(topology.shards())) {
      ShardConnections connections = ShardConnections.of(settings, System.getenv());
      findings.addAll(
          TopologyCheck.schemas(topology, new SchemaSurvey(connections).read(topology)));
    }
    return findings;
  }

  private static String text(JsonNode document) {
    StringBuilder text = new StringBuilder(TopologyText.findings(document.path("findings")));
    int errors = document.path("errors").asInt();
    text.append(errors).append(errors == 1 ? " error\n" : " errors\n");
    if (document.path("checked").asText().equals("document")) {
      text.append("the document alone was checked, no table\n");
    }
    return text.toString();
  }
}
