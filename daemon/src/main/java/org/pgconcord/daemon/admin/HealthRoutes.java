package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /livez}: the process answers. {@code /readyz}: it serves, that is the catalog answers; the
 * pages exist only while the daemon is not stopping.
 */
public final class HealthRoutes {
  private final Supplier<Optional<String>> trouble;

  /**
   * @param trouble why the daemon should get no traffic now; empty while all is well
   */
  public HealthRoutes(Supplier<Optional<String>> trouble) {
    this.trouble = trouble;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/livez", request -> Answer.text(200, "ok\n")),
        new Route("GET", "/readyz", request -> ready()));
  }

  private Answer ready() {
    return trouble
        .get()
        .map(reason -> Answer.text(503, "not ready: " + reason + "\n"))
        .orElseGet(() -> Answer.text(200, "ok\n"));
  }
}
