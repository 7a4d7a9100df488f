package org.pgconcord.daemon.admin;

import java.util.List;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.daemon.topology.TopologyOperations;

/** {@code topology show|check|apply}. */
public final class TopologyRoutes {
  private final TopologyOperations operations;

  public TopologyRoutes(TopologyOperations operations) {
    this.operations = operations;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/topology", request -> Answer.json(show())),
        new Route(
            "POST",
            "/api/v1/topology/check",
            request ->
                Answer.json(
                    FindingsDocument.of("shards", operations.check(request.text("document"))))));
  }

  private TopologyDocument show() {
    CatalogState stored = operations.stored();
    CatalogState.Document document =
        stored
            .document()
            .orElseThrow(() -> ErrorCode.TOPOLOGY_INVALID.because("no topology is applied"));
    Topology topology = TopologyReader.read(document.text()).orThrow();
    List<TopologyDocument.Index> indexes =
        topology.databases().values().stream()
            .flatMap(database -> database.gsis().stream())
            .map(gsi -> index(gsi, stored))
            .toList();
    return new TopologyDocument(
        stored.revision(),
        document.revision(),
        document.appliedAt().toString(),
        document.comment(),
        indexes,
        Json.read(document.text(), "the stored topology"));
  }

  private static TopologyDocument.Index index(Gsi gsi, CatalogState stored) {
    RoutingState.GsiStatus status = stored.status(gsi.name());
    return new TopologyDocument.Index(
        gsi.name().toString(),
        gsi.wishEnabled(),
        status.state().word(),
        status.reason(),
        status.epoch());
  }
}
