package org.pgconcord.daemon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Show an index's state, its last report and the progress on each shard.")
final class GsiStatusCommand implements Callable<Integer> {
  @Mixin private GsiTarget target = new GsiTarget();

  @Override
  public Integer call() {
    target.output().print(target.get("status"), GsiText::status);
    return ExitCode.OK.status();
  }
}
