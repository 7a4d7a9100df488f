package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Map;
import org.pgconcord.daemon.build.RoutingPublisher;
import org.pgconcord.daemon.topology.StatementPlans;

/** {@code plan}: how the router would run a statement now. */
public final class PlanRoutes {
  private final RoutingPublisher publisher;

  public PlanRoutes(RoutingPublisher publisher) {
    this.publisher = publisher;
  }

  public List<Route> routes() {
    return List.of(
        new Route(
            "POST",
            "/api/v1/plan",
            request ->
                Answer.json(
                    Map.of(
                        "plan",
                        StatementPlans.explain(
                            publisher.current(),
                            request.optionalText("database").orElse(""),
                            request.text("sql"))))));
  }
}
