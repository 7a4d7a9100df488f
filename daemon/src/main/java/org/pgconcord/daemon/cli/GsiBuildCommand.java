package org.pgconcord.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.error.ErrorCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Starts a build in the daemon and follows it. The build belongs to the daemon: ending this command
 * leaves it running, and the same command again attaches to it.
 */
@Command(
    name = "build",
    mixinStandardHelpOptions = true,
    description =
        "Create, fill and follow the lookup table, then verify it. While the index is not enabled"
            + " routers do not maintain it, and updates of its columns are refused.")
final class GsiBuildCommand implements Callable<Integer> {
  private static final long POLL_MILLIS = 500;

  @Mixin private GsiTarget target = new GsiTarget();

  @Option(names = "--no-wait", description = "Return as soon as the build has begun.")
  private boolean detached;

  @Override
  public Integer call() {
    JsonNode build = target.post("build");
    if (detached) {
      target.output().print(build.path("status"), GsiText::status);
      return ExitCode.OK.status();
    }
    build = follow(build);
    if (build.hasNonNull("error")) {
      throw AdminClient.error(build.get("error"));
    }
    JsonNode status = build.path("status");
    target.output().print(status, GsiText::status);
    return exit(status).status();
  }

  private JsonNode follow(JsonNode begun) {
    long deadline = System.nanoTime() + target.admin().timeout().toNanos();
    LiveLine live = new LiveLine(System.err, target.output().json());
    JsonNode build = begun;
    while (build.path("running").asBoolean()) {
      if (!target.admin().timeout().isZero() && System.nanoTime() - deadline > 0) {
        throw ErrorCode.ADMIN_TIMED_OUT.because(
            "the build goes on in the daemon, at step " + build.path("step").asText());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
      build = target.get("build");
      live.show(GsiText.live(build));
    }
    live.end();
    return build;
  }

  private static ExitCode exit(JsonNode status) {
    boolean clean = status.path("report").path("clean").asBoolean();
    return clean ? ExitCode.OK : ExitCode.DIFFERENCES;
  }
}
