package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "repair",
    mixinStandardHelpOptions = true,
    description = "Make all copies of a reference table equal to one of them, by difference.")
final class ReferenceRepairCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "The table: countries, public.countries or app.public.countries.")
  private String name = "";

  @Option(
      names = "--source",
      paramLabel = "SHARD",
      defaultValue = "",
      description = "The copy that is right; without it the leader, on the lowest shard uid.")
  private String source = "";

  @Option(names = "--dry-run", description = "Only list what would change; exit code 3 if any.")
  private boolean dryRun;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    Map<String, Object> body = new HashMap<>();
    body.put("dry_run", dryRun);
    if (!source.isEmpty()) {
      body.put("source", source);
    }
    JsonNode report =
        admin.client().post("/references/" + AdminClient.segment(name) + "/repair", body);
    output.print(report, ReferenceText::repair);
    boolean differs = dryRun && report.path("changed").asBoolean();
    return (differs ? ExitCode.DIFFERENCES : ExitCode.OK).status();
  }
}
