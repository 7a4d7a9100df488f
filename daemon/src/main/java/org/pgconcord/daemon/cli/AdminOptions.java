package org.pgconcord.daemon.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.pgconcord.daemon.admin.Address;
import picocli.CommandLine.Option;

/** Where the running daemon is, for the commands that are its clients. */
final class AdminOptions {
  static final String DEFAULT = "127.0.0.1:9432";

  @Option(
      names = "--admin",
      paramLabel = "HOST:PORT",
      description =
          "Admin address of the running daemon (default: PGCONCORD_ADMIN, else " + DEFAULT + ").")
  private @Nullable String admin;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "0",
      description = "Give up after this time with exit code 5 (default: 0, wait).")
  private long timeoutSeconds;

  AdminClient client() {
    return new AdminClient(Address.parse(address(), source()), Duration.ofSeconds(timeoutSeconds));
  }

  Duration timeout() {
    return Duration.ofSeconds(timeoutSeconds);
  }

  private String address() {
    if (admin != null) {
      return admin;
    }
    String environment = System.getenv("PGCONCORD_ADMIN");
    return environment != null ? environment : DEFAULT;
  }

  private String source() {
    return admin != null ? "--admin" : "PGCONCORD_ADMIN";
  }
}
