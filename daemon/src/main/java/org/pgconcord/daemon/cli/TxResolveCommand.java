package org.pgconcord.daemon.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "resolve",
    mixinStandardHelpOptions = true,
    description = {
      "End a two-phase transaction now: as it was decided, else as told, else by abort.",
      "Refused (exit 4) against a stored decision, for another cluster's transaction, and without"
          + " --commit or --abort where the catalog knows nothing of it."
    })
final class TxResolveCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "ID",
      description = "The transaction, or the name of one of its prepared transactions.")
  private String id = "";

  @ArgGroup private @Nullable Choice choice;

  @Mixin private AdminOptions admin = new AdminOptions();
  @Mixin private Output output = new Output();

  /** At most one of them. */
  static final class Choice {
    @Option(names = "--commit", description = "Commit it, if nothing is decided yet.")
    private boolean commit;

    @Option(names = "--abort", description = "Roll it back, if nothing is decided yet.")
    @SuppressWarnings("UnusedVariable") // that it was given is all: the other one was not
    private boolean abort;
  }

  @Override
  public Integer call() {
    Map<String, String> body =
        choice == null ? Map.of() : Map.of("decision", choice.commit ? "commit" : "abort");
    output.print(
        admin.client().post("/transactions/" + AdminClient.segment(id) + "/resolve", body),
        TxText::transaction);
    return ExitCode.OK.status();
  }
}
