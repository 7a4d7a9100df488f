package org.pgconcord.daemon.admin;

import java.util.List;
import org.pgconcord.daemon.build.ReferenceOperations;

/** {@code reference verify}. */
public final class ReferenceRoutes {
  private final ReferenceOperations operations;

  public ReferenceRoutes(ReferenceOperations operations) {
    this.operations = operations;
  }

  public List<Route> routes() {
    return List.of(
        new Route(
            "POST",
            "/api/v1/references/{name}/verify",
            request -> GsiRoutes.report(operations.verify(request.argument("name")))));
  }
}
