package org.pgconcord.daemon.cli;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.daemon.Daemon;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the daemon until SIGTERM or SIGINT. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = {
      "Serve the shards of a configuration: router, sync engine and admin API in one process.",
      "With --role router the router alone, beside the one daemon whose catalog it shares.",
      "Each flag below overrides PGCONCORD_..., which overrides the file."
    })
final class ServeCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      required = true,
      description = "The configuration, JSON.")
  private @Nullable Path config;

  /** What the process is. */
  enum Role {
    all,
    router
  }

  @Option(
      names = "--role",
      paramLabel = "all|router",
      defaultValue = "all",
      description = "all (default): everything, once for a catalog; router: any number beside it.")
  private Role role = Role.all;

  @Option(
      names = "--router.listen",
      paramLabel = "HOST:PORT",
      description = "Where clients connect.")
  private @Nullable String routerListen;

  @Option(names = "--router.auth", paramLabel = "trust|scram", description = "How clients log in.")
  private @Nullable String routerAuth;

  @Option(names = "--admin.listen", paramLabel = "HOST:PORT", description = "Admin API, loopback.")
  private @Nullable String adminListen;

  @Option(names = "--state_dir", paramLabel = "DIR", description = "The sync engine's storage.")
  private @Nullable String stateDir;

  @Option(
      names = "--topology",
      paramLabel = "FILE",
      description = "Applied when the catalog has no topology yet.")
  private @Nullable String topology;

  @Override
  public Integer call() throws InterruptedException {
    if (config == null) {
      throw new IllegalStateException("picocli requires --config");
    }
    DaemonSettings settings = Settings.read(config, flags());
    Daemon daemon =
        role == Role.router
            ? Daemon.startRouter(settings, System.getenv())
            : Daemon.start(settings, System.getenv());
    Runtime.getRuntime().addShutdownHook(new Thread(daemon::close, "shutdown"));
    return daemon.awaitEnd() ? ExitCode.OK.status() : ExitCode.FAILED.status();
  }

  private Map<String, String> flags() {
    Map<String, String> flags = new HashMap<>();
    put(flags, "router.listen", routerListen);
    put(flags, "router.auth", routerAuth);
    put(flags, "admin.listen", adminListen);
    put(flags, "state_dir", stateDir);
    put(flags, "topology", topology);
    return flags;
  }

  private static void put(Map<String, String> flags, String key, @Nullable String value) {
    if (value != null) {
      flags.put(key, value);
    }
  }
}
