package org.pgconcord.daemon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "disable",
    mixinStandardHelpOptions = true,
    description = "Stop reading and maintaining the index; the stream keeps its entries true.")
final class GsiDisableCommand implements Callable<Integer> {
  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    target.output().print(target.post("disable"), GsiText::status);
    return ExitCode.OK.status();
  }
}
