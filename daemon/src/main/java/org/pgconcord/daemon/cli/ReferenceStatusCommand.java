package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "Show the copies of one reference table, or of all, and which are marked unequal.")
final class ReferenceStatusCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "NAME",
      defaultValue = "",
      description = "The table: countries, public.countries or app.public.countries.")
  private String name = "";

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    JsonNode status =
        name.isEmpty()
            ? admin.client().get("/references")
            : admin.client().get("/references/" + AdminClient.segment(name) + "/status");
    output.print(status, ReferenceText::status);
    return ExitCode.OK.status();
  }
}
