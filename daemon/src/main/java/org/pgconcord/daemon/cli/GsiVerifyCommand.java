package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    description = "Compare every expected entry with every actual one and store the report.")
final class GsiVerifyCommand implements Callable<Integer> {
  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    JsonNode report = target.post("verify");
    target.output().print(report, ReportText::of);
    return (report.path("clean").asBoolean() ? ExitCode.OK : ExitCode.DIFFERENCES).status();
  }
}
