package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * {@code /livez}: the process answers. {@code /metrics}: Prometheus. {@code /readyz}: it serves,
 * that is the catalog answers; the pages exist only while the daemon is not stopping.
 */
public final class HealthRoutes {
  private final Supplier<Optional<String>> trouble;
  private final Supplier<String> metrics;

  /**
   * @param trouble why the daemon should get no traffic now; empty while all is well
   * @param metrics in Prometheus' text format
   */
  public HealthRoutes(Supplier<Optional<String>> trouble, Supplier<String> metrics) {
    this.trouble = trouble;
    this.metrics = metrics;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/livez", request -> Answer.text(200, "ok\n")),
        new Route("GET", "/readyz", request -> ready()),
        new Route(
            "GET",
            "/metrics",
            request -> new Answer(200, "text/plain; version=0.0.4; charset=utf-8", metrics.get())));
  }

  private Answer ready() {
    return trouble
        .get()
        .map(reason -> Answer.text(503, "not ready: " + reason + "\n"))
        .orElseGet(() -> Answer.text(200, "ok\n"));
  }
}
