package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.daemon.build.GsiOperations;
import org.pgconcord.daemon.build.GsiOperations.Overview;
import org.pgconcord.verifier.gate.UnmetCondition;

/** {@code gsi build|status|check|verify|enable|disable}. */
public final class GsiRoutes {
  private static final String PATH = "/api/v1/gsis/{name}/";
  private static final int CONFLICTS_SHOWN = 100;

  private final GsiOperations operations;

  public GsiRoutes(GsiOperations operations) {
    this.operations = operations;
  }

  /**
   * A build as it runs or ended.
   *
   * @param error of the last operation; null while one runs and after success
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record BuildDocument(
      boolean running,
      String step,
      ErrorDocument.@Nullable Fields error,
      GsiStatusDocument status) {}

  /** What the gate would say; {@code ready} when nothing is unmet. */
  public record CheckDocument(
      String gsi, boolean ready, List<UnmetCondition> unmet, List<Conflict> conflicts) {
    public CheckDocument {
      unmet = List.copyOf(unmet);
      conflicts = List.copyOf(conflicts);
    }
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/gsis", request -> Answer.json(all())),
        get("status", this::status),
        get("build", this::build),
        get("check", this::check),
        post(
            "build",
            name -> {
              operations.build(name);
              return build(name);
            }),
        new Route(
            "POST",
            PATH + "verify",
            request -> report(operations.verify(request.argument("name")))),
        post(
            "enable",
            name -> {
              operations.enable(name);
              return status(name);
            }),
        new Route("POST", PATH + "disable", request -> Answer.json(disable(request))));
  }

  private GsiStatusDocument disable(Request request) {
    String name = request.argument("name");
    if (request.flag("stop")) {
      operations.stop(operations.find(name));
    } else {
      operations.disable(operations.find(name));
    }
    return status(name);
  }

  private interface Operation {
    Object document(String name);
  }

  private static Route get(String operation, Operation handler) {
    return new Route(
        "GET",
        PATH + operation,
        request -> Answer.json(handler.document(request.argument("name"))));
  }

  private static Route post(String operation, Operation handler) {
    return new Route(
        "POST",
        PATH + operation,
        request -> Answer.json(handler.document(request.argument("name"))));
  }

  private Map<String, Object> all() {
    return Map.of("gsis", operations.all().stream().map(GsiRoutes::document).toList());
  }

  private GsiStatusDocument status(String name) {
    return document(operations.overview(name));
  }

  private BuildDocument build(String name) {
    Overview overview = operations.overview(name);
    ConcordException failure = overview.failure();
    return new BuildDocument(
        overview.operation().isPresent(),
        overview.step(),
        failure == null ? null : ErrorDocument.of(failure).error(),
        document(overview));
  }

  private CheckDocument check(String name) {
    List<UnmetCondition> unmet = operations.check(name);
    return new CheckDocument(
        operations.find(name).toString(),
        unmet.isEmpty(),
        unmet,
        operations.conflicts(name, CONFLICTS_SHOWN));
  }

  /** The stored document itself, with the catalog's number in front. */
  static Answer report(StoredReport report) {
    Map<String, Object> document = new java.util.LinkedHashMap<>();
    document.put("report", Long.toString(report.id()));
    Json.read(report.document(), "a stored report")
        .properties()
        .forEach(field -> document.put(field.getKey(), field.getValue()));
    return Answer.json(document);
  }

  static GsiStatusDocument document(Overview overview) {
    return new GsiStatusDocument(
        overview.gsi().toString(),
        overview.status().state().word(),
        overview.status().reason(),
        overview.status().epoch(),
        overview
            .report()
            .map(
                report ->
                    new GsiStatusDocument.Report(
                        Long.toString(report.id()), report.clean(), report.storedAt().toString()))
            .orElse(null),
        overview.conflicts(),
        overview.shards().stream().map(GsiStatusDocument.Shard::of).toList());
  }
}
