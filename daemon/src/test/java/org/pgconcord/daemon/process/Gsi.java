package org.pgconcord.daemon.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.daemon.cli.AdminClient;

/** The commands of {@code gsi} on the sample's index, as the command line sends them. */
public final class Gsi {
  private static final Duration BUILD = Duration.ofMinutes(3);

  private final String path;
  private final DaemonProcess daemon;
  private final AdminClient client;

  public Gsi(DaemonProcess daemon) {
    this(daemon, "by_email");
  }

  public Gsi(DaemonProcess daemon, String name) {
    this.path = "/gsis/" + name + "/";
    this.daemon = daemon;
    this.client = daemon.client();
  }

  JsonNode startBuild() {
    return client.post(path + "build", Map.of());
  }

  /** Starts or joins a build and returns its status when it has ended well. */
  public JsonNode build() throws Exception {
    startBuild();
    return awaitIdle();
  }

  /** Waits until no operation runs; an operation that failed is an error with the log. */
  JsonNode awaitIdle() throws Exception {
    long begin = System.nanoTime();
    JsonNode build = client.get(path + "build");
    while (build.path("running").asBoolean()) {
      if (System.nanoTime() - begin > BUILD.toNanos()) {
        throw new AssertionError("still at " + build.path("step") + ":\n" + daemon.logTail());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
      build = client.get(path + "build");
    }
    if (build.hasNonNull("error")) {
      throw new AssertionError(build.get("error") + "\n" + daemon.logTail());
    }
    return build.path("status");
  }

  JsonNode status() {
    return client.get(path + "status");
  }

  public String state() {
    return status().path("state").asText();
  }

  JsonNode check() {
    return client.get(path + "check");
  }

  public JsonNode verify() throws IOException {
    return post("verify");
  }

  JsonNode enable() throws IOException {
    return post("enable");
  }

  /**
   * Verifies and enables; again when the gate finds a stream too far behind, which a busy machine
   * makes of any stream now and then.
   */
  public JsonNode verifyAndEnable() throws IOException {
    for (int attempt = 1; ; attempt++) {
      verify();
      try {
        return client.post(path + "enable", Map.of());
      } catch (ConcordException e) {
        boolean lag = e.code() == ErrorCode.GATE_REFUSED && onlyLag(String.valueOf(e.detail()));
        if (!lag || attempt == 10) {
          throw new AssertionError(e.message() + ": " + e.detail() + "\n" + daemon.logTail(), e);
        }
      }
    }
  }

  private static boolean onlyLag(String detail) {
    return detail.lines().allMatch(line -> line.endsWith("[gate/lag]"));
  }

  JsonNode stop() throws IOException {
    return post("disable", Map.of("stop", true));
  }

  JsonNode disable() throws IOException {
    return post("disable");
  }

  /** A refusal is an error here, told with its detail and the daemon's log. */
  private JsonNode post(String operation) throws IOException {
    return post(operation, Map.of());
  }

  private JsonNode post(String operation, Map<String, Object> body) throws IOException {
    try {
      return client.post(path + operation, body);
    } catch (ConcordException e) {
      throw new AssertionError(e.message() + ": " + e.detail() + "\n" + daemon.logTail(), e);
    }
  }

  /** The refusal that the gate answers with. */
  ConcordException refusedEnable() {
    try {
      client.post(path + "enable", Map.of());
    } catch (ConcordException e) {
      if (e.code() == ErrorCode.GATE_REFUSED) {
        return e;
      }
      throw e;
    }
    throw new AssertionError("the gate let it pass");
  }
}
