package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = "Compare the copies of a reference table row by row and name what differs.")
final class ReferenceVerifyCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "NAME",
      description = "The table: countries, public.countries or app.public.countries.")
  private String name = "";

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    JsonNode report =
        admin.client().post("/references/" + AdminClient.segment(name) + "/verify", Map.of());
    output.print(report, ReportText::of);
    return (report.path("clean").asBoolean() ? ExitCode.OK : ExitCode.DIFFERENCES).status();
  }
}
