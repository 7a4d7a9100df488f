package org.pgconcord.daemon.demo;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.daemon.cli.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code pgconcord demo}. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    description = {
      "Show the whole life of an index on shards started for it.",
      "Everything it makes is in one directory and goes with it; Ctrl-C ends it."
    })
public final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--shards",
      paramLabel = "N",
      defaultValue = "2",
      description = "How many PostgreSQL servers, 1 to 16 (default: ${DEFAULT-VALUE}).")
  private int shards;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "200000",
      description = "How many users, at least 1000 (default: ${DEFAULT-VALUE}).")
  private long rows;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Another seed makes other users (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "6432",
      description = "The router's port (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      defaultValue = "9432",
      description = "The admin API's port (default: ${DEFAULT-VALUE}).")
  private int httpPort;

  @Option(
      names = "--dir",
      paramLabel = "DIRECTORY",
      description = "Where the servers' data go (default: in the system's temporary folder).")
  private @Nullable Path directory;

  @Option(
      names = "--tour",
      paramLabel = "TOUR",
      defaultValue = "samples",
      description = {
        "What to show once the index is enabled (default: ${DEFAULT-VALUE}):",
        "samples: repairs, and one query of each kind;",
        "reads: ten reads with their routes, what each shard did, and why;",
        "crash: a server is killed between two commits of one INSERT."
      })
  private Tour tour = Tour.SAMPLES;

  @Option(
      names = "--exit",
      description = "End after the last chapter: with 0 if all was as it should be, else 1.")
  private boolean exit;

  @Override
  public Integer call() throws SQLException, IOException, InterruptedException {
    DemoOptions options = options();
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    Narrator narrator = new Narrator(out, Terminal.OUTPUT.present(), System::nanoTime);
    Ending ending = new Ending();
    Thread hook = new Thread(ending::closeQuickly, "demo-end-by-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      Demo demo = new Demo(options, narrator);
      demo.run(ending);
      if (!options.exit()) {
        stayUp(narrator, demo, ending);
      }
    } catch (SQLException | RuntimeException e) {
      // When the end is asked for while the demo is at work, what it meets then is no fault.
      if (!ending.begun()) {
        throw e;
      }
    } finally {
      ending.close();
    }
    return narrator.faults() == 0 ? 0 : 1;
  }

  private void stayUp(Narrator narrator, Demo demo, Ending ending) throws InterruptedException {
    narrator.blank();
    narrator.say("The router stays open; Ctrl-C stops everything. Connect with either of");
    narrator.command(demo.psql());
    narrator.command("./pgconcord sql" + (port == 6432 ? "" : " --port " + port));
    narrator.command(
        "./pgconcord gsi status by_email"
            + (httpPort == 9432 ? "" : " --admin 127.0.0.1:" + httpPort));
    ending.await();
  }

  private DemoOptions options() {
    check(shards >= 1 && shards <= DemoOptions.MOST_SHARDS, "--shards must be 1 to 16");
    check(rows >= DemoOptions.LEAST_ROWS, "--rows must be at least " + DemoOptions.LEAST_ROWS);
    check(port != httpPort, "--port and --http-port must differ");
    check(tour != Tour.CRASH || shards > 1, "--tour crash needs at least 2 --shards");
    Path place = directory == null ? DemoOptions.usualDirectory() : directory;
    return new DemoOptions(shards, rows, seed, port, httpPort, place, tour, exit);
  }

  private void check(boolean condition, String message) {
    if (!condition) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
