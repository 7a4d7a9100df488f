package org.pgconcord.daemon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "enable",
    mixinStandardHelpOptions = true,
    description =
        "Let routers maintain and read the index; refused unless a clean report proves it.")
final class GsiEnableCommand implements Callable<Integer> {
  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    target.output().print(target.post("enable"), GsiText::status);
    return ExitCode.OK.status();
  }
}
