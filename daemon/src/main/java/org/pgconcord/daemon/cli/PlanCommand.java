package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.daemon.admin.Json;
import org.pgconcord.daemon.topology.StatementPlans;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "plan",
    mixinStandardHelpOptions = true,
    description = {
      "Show how the router would run a statement.",
      "Asks the daemon, or with --topology and --schema plans here with nothing running."
    })
final class PlanCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "SQL", description = "One statement.")
  private String sql = "";

  @Option(
      names = "--database",
      paramLabel = "NAME",
      defaultValue = "",
      description = "The logical database, where there are several.")
  private String database = "";

  @ArgGroup(exclusive = false)
  private @Nullable Offline offline;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  /** Both files, or none. */
  static final class Offline {
    @Option(
        names = "--topology",
        paramLabel = "FILE",
        required = true,
        description = "A topology document.")
    private Path topology = Path.of("");

    @Option(
        names = "--schema",
        paramLabel = "FILE",
        required = true,
        description = "The tables, as pg_dump --schema-only writes them.")
    private Path schema = Path.of("");
  }

  @Override
  public Integer call() {
    output.print(plan(), PlanCommand::text);
    return ExitCode.OK.status();
  }

  private JsonNode plan() {
    if (offline == null) {
      return admin.client().post("/plan", Map.of("sql", sql, "database", database));
    }
    var state =
        StatementPlans.offline(
            TopologyReader.read(Files.read(offline.topology)).orThrow(),
            Files.read(offline.schema));
    return Json.tree(Map.of("plan", StatementPlans.explain(state, database, sql)));
  }

  private static String text(JsonNode document) {
    List<String> lines = new ArrayList<>();
    document.path("plan").forEach(line -> lines.add(line.asText()));
    return String.join("\n", lines);
  }
}
