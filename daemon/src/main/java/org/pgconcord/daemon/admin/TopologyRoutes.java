package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
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
import org.pgconcord.daemon.topology.ApplyPlan;
import org.pgconcord.daemon.topology.ChangeRules;
import org.pgconcord.daemon.topology.DocumentChanges;
import org.pgconcord.daemon.topology.TopologyOperations;

/** {@code topology show|check|diff|apply|history}. */
public final class TopologyRoutes {
  /** So many documents of the past are compared for one answer. */
  private static final int HISTORY = 100;

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
                    FindingsDocument.of("shards", operations.check(request.text("document"))))),
        new Route("POST", "/api/v1/topology/plan", request -> Answer.json(plan(request))),
        new Route("GET", "/api/v1/topology/history", request -> Answer.json(history())),
        new Route(
            "GET",
            "/api/v1/topology/history/{revision}",
            request -> Answer.json(past(request.argument("revision")))));
  }

  private TopologyDocument apply(Request request) {
    RoutingState before = publisher.reload();
    Optional<JsonNode> replaced = operations.stored().document().map(TopologyRoutes::json);
    Set<GsiName> allowed = allowed(request);
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

  private Set<GsiName> allowed(Request request) {
    Set<GsiName> allowed = new LinkedHashSet<>();
    request.texts("disable_gsi").forEach(name -> allowed.add(gsis.find(name)));
    return allowed;
  }

  private TopologyPlanDocument plan(Request request) {
    RoutingState current = publisher.reload();
    String document = request.text("document");
    ApplyPlan plan =
        operations.plan(
            current,
            document,
            request.number("expected_revision"),
            allowed(request),
            request.flag("force"));
    boolean read = TopologyReader.read(document).topology().isPresent();
    return TopologyPlanDocument.of(
        current.revision(),
        plan,
        operations
            .stored()
            .document()
            .filter(applied -> read)
            .map(applied -> DocumentChanges.between(json(applied), Json.read(document, "it")))
            .orElse(List.of()));
  }

  /** One more than are shown, so that the oldest shown one has what it is compared with. */
  private TopologyHistory history() {
    List<CatalogState.Document> newest = operations.history(HISTORY + 1);
    List<TopologyHistory.Entry> entries = new ArrayList<>();
    for (int i = 0; i < Math.min(newest.size(), HISTORY); i++) {
      CatalogState.Document document = newest.get(i);
      entries.add(
          TopologyHistory.Entry.of(
              document,
              i + 1 < newest.size()
                  ? DocumentChanges.between(json(newest.get(i + 1)), json(document))
                  : List.of()));
    }
    return new TopologyHistory(entries);
  }

  private TopologyHistory.Past past(String revision) {
    if (!revision.matches("[0-9]{1,18}")) {
      throw ErrorCode.ADMIN_REQUEST_INVALID.because("\"" + revision + "\" is no revision");
    }
    CatalogState.Document document = operations.document(Long.parseLong(revision));
    return TopologyHistory.Past.of(document, json(document));
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
