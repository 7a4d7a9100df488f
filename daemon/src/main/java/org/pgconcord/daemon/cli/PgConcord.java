package org.pgconcord.daemon.cli;

import org.pgconcord.config.error.ConcordException;
import org.pgconcord.daemon.admin.ErrorDocument;
import org.pgconcord.daemon.cli.sql.SqlCommand;
import org.pgconcord.daemon.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The root command: prints help; its subcommands do the work. */
@Command(
    name = "pgconcord",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Global secondary indexes and reference tables for sharded PostgreSQL.",
    footerHeading = "%nExit codes:%n",
    footer = {
      "  0 ok, 1 failed, 2 usage, 3 differences found, 4 refused as unsafe,",
      "  5 timed out, 7 not reachable, 78 bad configuration"
    },
    subcommands = {
      ServeCommand.class,
      GsiCommand.class,
      ReferenceCommand.class,
      TopologyCommand.class,
      DoctorCommand.class,
      PlanCommand.class,
      TxCommand.class,
      SqlCommand.class,
      DemoCommand.class,
    })
public final class PgConcord implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Runs one command line and returns its exit status. */
  public static int run(String... arguments) {
    return new CommandLine(new PgConcord())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler((failure, command, parsed) -> failed(failure, parsed))
        .execute(arguments);
  }

  @Override
  public void run() {
    spec.commandLine().usage(System.out);
  }

  private static int failed(Exception failure, ParseResult parsed) {
    ConcordException error = ErrorDocument.known(failure);
    Output.printError(error, wantsJson(parsed));
    return ExitCode.of(error.code()).status();
  }

  private static boolean wantsJson(ParseResult parsed) {
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    return last.matchedOptionValue("--output", Output.Form.text) == Output.Form.json;
  }
}
