package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "List what enabling the index needs, and what is not met, without enabling.")
final class GsiCheckCommand implements Callable<Integer> {
  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    JsonNode document = target.get("check");
    target.output().print(document, GsiText::check);
    return (document.path("ready").asBoolean() ? ExitCode.OK : ExitCode.REFUSED).status();
  }
}
