package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description = "List two-phase transactions that have not ended, with their participants.")
final class TxListCommand implements Callable<Integer> {
  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  @Override
  public Integer call() {
    JsonNode listing = admin.client().get("/transactions");
    output.print(listing, TxText::list);
    return ExitCode.OK.status();
  }
}
