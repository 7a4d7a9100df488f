package org.pgconcord.daemon.topology;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.FencedTable;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.check.PlacementSurvey;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.check.TopologyCheck;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Finding;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.Topology.LogicalDatabase;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.topology.TopologyReading;
import org.pgconcord.config.value.Counted;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks and applies topology documents. Blocks; called by admin threads and at the start. */
public final class TopologyOperations {
  private static final Logger log = LoggerFactory.getLogger(TopologyOperations.class);

  /** A lease that nobody renews lapses meanwhile. */
  private static final Duration ACKNOWLEDGEMENTS = Duration.ofSeconds(15);

  private final Catalog catalog;
  private final ShardConnections connections;
  private final Set<ShardId> configured;
  private final SchemaSurvey survey;

  /** Ends the maintenance of an index before a document that no longer wants it is applied. */
  @FunctionalInterface
  public interface Disabling {
    void disable(GsiName gsi);
  }

  public TopologyOperations(
      Catalog catalog, ShardConnections connections, Set<ShardId> configured) {
    this.catalog = catalog;
    this.connections = connections;
    this.configured = Set.copyOf(configured);
    this.survey = new SchemaSurvey(connections);
  }

  /** Everything that is wrong with a document, or between it and the shards. */
  public List<Finding> check(String document) {
    TopologyReading reading = TopologyReader.read(document);
    List<Finding> findings = new ArrayList<>(reading.findings());
    reading
        .topology()
        .ifPresent(
            topology -> {
              findings.addAll(againstShards(topology));
              findings.addAll(misplacedRows(topology));
            });
    return findings;
  }

  /** Rows that the document, where it differs from the applied one, would look for elsewhere. */
  private List<Finding> misplacedRows(Topology next) {
    if (!configured.containsAll(next.shards())) {
      return List.of();
    }
    Optional<Topology> current =
        catalog.load().document().flatMap(d -> TopologyReader.read(d.text()).topology());
    return new PlacementSurvey(connections).changed(current, next);
  }

  /** What is wrong between an applied topology and the shards now. */
  public List<Finding> againstShards(Topology topology) {
    List<Finding> findings = new ArrayList<>(TopologyCheck.shards(topology, configured));
    if (configured.containsAll(topology.shards())) {
      findings.addAll(TopologyCheck.schemas(topology, survey.read(topology)));
    }
    return findings;
  }

  /** The first document of a catalog. */
  public long applyFirst(String document, String comment) {
    Topology topology = checked(document, false);
    installShards(topology);
    return catalog.apply(document, OptionalLong.of(0), comment);
  }

  /**
   * Applies a document over another one. What is refused is decided for one revision, and the
   * catalog takes the document only if it is still at that one: an index that becomes maintained in
   * between cannot lose its definition to a decision made before.
   *
   * @param current the state that the catalog has now
   * @param allowed maintained indexes that may be disabled for it
   * @param force true applies it although rows are on other shards than it says
   * @return the new revision
   */
  public long apply(
      RoutingState current,
      String document,
      OptionalLong expectedRevision,
      Set<GsiName> allowed,
      boolean force,
      Disabling disabling,
      String comment) {
    require(expectedRevision, current.revision());
    Topology next = checked(document, force);
    refuse(ChangeRules.violations(current, next, allowed));
    boolean disabled = false;
    for (GsiName gsi : allowed) {
      if (current.status(gsi).state().maintained()) {
        disabling.disable(gsi);
        disabled = true;
      }
    }
    RoutingState decided = disabled ? storedState() : current;
    refuse(ChangeRules.violations(decided, next, allowed));
    installShards(next);
    long revision = acknowledged(document, decided.revision(), comment);
    log.info("topology applied revision={} comment=\"{}\"", revision, comment);
    return revision;
  }

  /**
   * What {@link #apply} would do with the same arguments, without doing it.
   *
   * @throws ConcordException {@code topology/revision-changed}
   */
  public ApplyPlan plan(
      RoutingState current,
      String document,
      OptionalLong expectedRevision,
      Set<GsiName> allowed,
      boolean force) {
    require(expectedRevision, current.revision());
    List<Finding> findings = check(document);
    Optional<Topology> next = TopologyReader.read(document).topology();
    return new ApplyPlan(
        findings,
        next.map(topology -> ChangeRules.violations(current, topology, allowed)).orElse(List.of()),
        allowed.stream().filter(gsi -> current.status(gsi).state().maintained()).toList(),
        next.map(topology -> ChangeRules.wished(Optional.of(current.topology()), topology))
            .orElse(List.of()),
        force);
  }

  private static void require(OptionalLong expected, long revision) {
    if (expected.isPresent() && expected.getAsLong() != revision) {
      throw ErrorCode.TOPOLOGY_REVISION_CHANGED.because(
          "the catalog is at revision " + revision + ", expected was " + expected.getAsLong());
    }
  }

  /** Stores it when every router has acknowledged the revision before it. */
  private long acknowledged(String document, long expected, String comment) {
    long deadline = System.nanoTime() + ACKNOWLEDGEMENTS.toNanos();
    while (true) {
      try {
        return catalog.apply(document, OptionalLong.of(expected), comment);
      } catch (ConcordException e) {
        if (e.code() != ErrorCode.TOPOLOGY_NOT_ACKNOWLEDGED || System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private RoutingState storedState() {
    CatalogState stored = catalog.load();
    Topology topology = TopologyReader.read(stored.document().orElseThrow().text()).orThrow();
    return new RoutingState(stored.revision(), topology, stored.gsis(), Map.of());
  }

  /** Makes schema pgconcord in every declared database of every shard. May run again. */
  public void installShards(Topology topology) {
    for (String database : topology.databases().keySet()) {
      for (ShardId shard : topology.shards()) {
        try (Connection connection = connections.open(shard, database)) {
          CatalogInstaller.installShard(connection, fenced(topology, database, shard));
        } catch (SQLException e) {
          throw ErrorCode.SHARD_UNREACHABLE
              .because("shard " + shard + " did not answer: " + e.getMessage())
              .withCause(e);
        }
      }
    }
  }

  private static List<FencedTable> fenced(Topology topology, String database, ShardId shard) {
    LogicalDatabase declared = topology.database(database).orElseThrow();
    return Fences.tables(topology).stream()
        .filter(table -> table.database().equals(database))
        .filter(table -> TopologyCheck.shardsOf(declared.placement(table.table())).contains(shard))
        .toList();
  }

  public CatalogState stored() {
    return catalog.load();
  }

  /** The newest documents, the newest first. */
  public List<CatalogState.Document> history(int limit) {
    return catalog.documents(limit);
  }

  /**
   * A document that was applied before.
   *
   * @throws ConcordException {@code topology/no-such-revision}
   */
  public CatalogState.Document document(long revision) {
    return catalog
        .documentOf(revision)
        .orElseThrow(
            () ->
                ErrorCode.TOPOLOGY_NO_SUCH_REVISION.because(
                    "no document was applied as revision " + revision));
  }

  private Topology checked(String document, boolean force) {
    List<Finding> errors = ApplyPlan.errors(check(document), force);
    Optional<Topology> topology = TopologyReader.read(document).topology();
    if (topology.isEmpty() || !errors.isEmpty()) {
      throw ErrorCode.TOPOLOGY_INVALID
          .because("the topology cannot be applied: " + Counted.of(errors.size(), "error"))
          .withDetail(errors.stream().map(Finding::line).collect(Collectors.joining("\n")));
    }
    return topology.get();
  }

  private static void refuse(List<String> violations) {
    if (!violations.isEmpty()) {
      throw ErrorCode.TOPOLOGY_NEEDS_DISABLE
          .because(
              "the document would end what "
                  + Counted.of(violations.size(), "index", "indexes")
                  + (violations.size() == 1 ? " promises" : " promise"))
          .withDetail(String.join("\n", violations));
    }
  }
}
