package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.daemon.build.GsiOperations;
import org.pgconcord.daemon.build.RoutingPublisher;
import org.pgconcord.daemon.topology.ChangeRules;
import org.pgconcord.daemon.topology.DocumentChanges;
import org.pgconcord.daemon.topology.TopologyOperations;

/** {@code topology show|check|apply}. */
public final class TopologyRoutes {
  private final TopologyOperations operations;
  private final RoutingPublisher publisher;
  private final GsiOperations gsis;
  private final RouterLeases leases;

  public TopologyRoutes(
      TopologyOperations operations,
      RoutingPublisher publisher,
      GsiOperations gsis,
      RouterLeases leases) {
    this.operations = operations;
    this.publisher = publisher;
    this.gsis = gsis;
    this.leases = leases;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/topology", request -> Answer.json(show(null))),
        new Route("POST", "/api/v1/topology", request -> Answer.json(apply(request))),
        new Route(
            "POST",
            "/api/v1/topology/check",
            request ->
                Answer.json(
                    FindingsDocument.of("shards", operations.check(request.text("document"))))));
  }

  private TopologyDocument apply(Request request) {
    RoutingState before = publisher.reload();
    Optional<JsonNode> replaced = operations.stored().document().map(TopologyRoutes::json);
    Set<GsiName> allowed = new LinkedHashSet<>();
    request.texts("disable_gsi").forEach(name -> allowed.add(gsis.find(name)));
    String document = request.text("document");
    operations.apply(
        before,
        document,
        request.number("expected_revision"),
        allowed,
        request.flag("force"),
        gsis::disable,
        request.optionalText("comment").orElse(""));
    RoutingState after = publisher.reload();
    ChangeRules.wished(Optional.of(before.topology()), after.topology()).forEach(gsis::pursue);
    JsonNode applied = Json.read(document, "the applied topology");
    return show(replaced.map(old -> DocumentChanges.between(old, applied)).orElse(null));
  }

  private TopologyDocument show(@Nullable List<String> changes) {
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
        leases.all().stream().map(TopologyRoutes::router).toList(),
        changes,
        json(document));
  }

  private static TopologyDocument.Router router(RouterLeases.Row row) {
    return new TopologyDocument.Router(
        row.id(),
        row.address(),
        row.acknowledgedRevision(),
        row.leaseUntil().toInstant().toString(),
        row.live());
  }

  private static JsonNode json(CatalogState.Document document) {
    return Json.read(document.text(), "the stored topology");
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
