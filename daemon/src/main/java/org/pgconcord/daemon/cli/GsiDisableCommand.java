package org.pgconcord.daemon.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "disable",
    mixinStandardHelpOptions = true,
    description = "Stop reading and maintaining the index; the stream keeps its entries true.")
final class GsiDisableCommand implements Callable<Integer> {
  @Option(
      names = "--stop",
      description =
          "Follow no changes either: replication slots that no other index needs are dropped, and"
              + " the next build begins from nothing.")
  private boolean stop;

  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    target.output().print(target.post("disable", Map.of("stop", stop)), GsiText::status);
    return ExitCode.OK.status();
  }
}
