package org.pgconcord.daemon.admin;

import java.util.List;
import java.util.Map;
import org.pgconcord.daemon.build.ReferenceOperations;

/** {@code reference status|verify|repair}. */
public final class ReferenceRoutes {
  private static final String PATH = "/api/v1/references";

  private final ReferenceOperations operations;

  public ReferenceRoutes(ReferenceOperations operations) {
    this.operations = operations;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", PATH, request -> Answer.json(all())),
        new Route(
            "GET",
            PATH + "/{name}/status",
            request ->
                Answer.json(
                    ReferenceStatusDocument.of(operations.overview(request.argument("name"))))),
        new Route(
            "POST",
            PATH + "/{name}/verify",
            request -> GsiRoutes.report(operations.verify(request.argument("name")))),
        new Route(
            "POST",
            PATH + "/{name}/repair",
            request ->
                Answer.json(
                    operations.repair(
                        request.argument("name"),
                        request.optionalText("source"),
                        request.flag("dry_run")))));
  }

  private Map<String, Object> all() {
    return Map.of(
        "references", operations.all().stream().map(ReferenceStatusDocument::of).toList());
  }
}
