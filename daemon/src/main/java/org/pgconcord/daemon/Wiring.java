package org.pgconcord.daemon;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.topology.TopologyReader;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.admin.Address;
import org.pgconcord.daemon.admin.AdminServer;
import org.pgconcord.daemon.admin.DoctorRoutes;
import org.pgconcord.daemon.admin.GsiRoutes;
import org.pgconcord.daemon.admin.HealthRoutes;
import org.pgconcord.daemon.admin.PlanRoutes;
import org.pgconcord.daemon.admin.ReferenceRoutes;
import org.pgconcord.daemon.admin.Route;
import org.pgconcord.daemon.admin.TopologyRoutes;
import org.pgconcord.daemon.admin.TransactionRoutes;
import org.pgconcord.daemon.build.FenceSteps;
import org.pgconcord.daemon.build.GsiOperations;
import org.pgconcord.daemon.build.MarkedCopies;
import org.pgconcord.daemon.build.ProgressBoard;
import org.pgconcord.daemon.build.ProgressTable;
import org.pgconcord.daemon.build.ReferenceOperations;
import org.pgconcord.daemon.topology.CatalogLocation;
import org.pgconcord.daemon.topology.TopologyOperations;
import org.pgconcord.daemon.topology.Wish;
import org.pgconcord.router.RouterServer;
import org.pgconcord.state.store.StateStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one class that builds services, in the order in which they need each other: connections, the
 * daemon's lock, the catalog, the topology, and what stands on them.
 */
final class Wiring {
  private static final Logger log = LoggerFactory.getLogger(Wiring.class);

  private static final String DAEMON = "daemon-";
  private static final Duration VERIFY_WAIT = Duration.ofSeconds(2);

  private final DaemonSettings settings;
  private final Map<String, String> environment;
  private final Closing closing = new Closing();

  Wiring(DaemonSettings settings, Map<String, String> environment) {
    this.settings = settings;
    this.environment = environment;
  }

  /** Starts all of it; on failure nothing is left running. */
  Daemon start() {
    try {
      return build();
    } catch (RuntimeException e) {
      closing.close();
      throw e;
    }
  }

  private Daemon build() {
    ShardConnections connections = ShardConnections.of(settings, environment);
    Optional<String> file = settings.topology().map(Wiring::read);
    Optional<Topology> wanted = file.map(text -> TopologyReader.read(text).orThrow());
    ShardId home = CatalogLocation.find(settings, connections, wanted);
    Supplier<Connection> atHome = () -> connections.open(home, settings.catalogDatabase());

    DaemonLock lock = closing.add("lock", DaemonLock.take(atHome));
    ListenAddresses.requireFree(settings);
    Catalog catalog = catalog(atHome, connections);
    RunNote run = closing.add("run note", RunNote.begin(catalog, lock));
    TopologyOperations topologies =
        new TopologyOperations(catalog, connections, settings.shards().keySet());
    applyFirst(catalog, topologies, file);
    catalog.ensureFences();
    RouterLeases leases = leases(atHome);
    Routing routing = routing(catalog, connections, atHome, topologies, leases);

    ProgressBoard board = new ProgressBoard(System::nanoTime, progressTable(atHome));
    GsiOperations gsis = new GsiOperations(routing.publisher(), board);
    FenceSteps fences =
        new FenceSteps(catalog, leases, routing.lease().id(), routing.publisher(), connections);
    Engines engines = engines(routing, connections, fences, gsis, board);
    closing.add("operations", gsis);
    gsis.start(engines::of);
    ReferenceOperations references = engines.references();
    CompletableFuture<Void> verified = verifyCopies(run, references, routing.marks());

    Metrics metrics = closing.add("metrics", new Metrics(gsis::all, routing.epochs()));
    TransactionParts transactions = routing.transactions(settings, connections, atHome, closing);
    metrics.watch(transactions.counts());
    transactions.start(closing);
    RouterServer router =
        routing.router(settings, environment, connections, transactions, metrics, closing);
    awaitBriefly(verified);
    InetSocketAddress routerAddress = router.start();

    List<Route> routes = new ArrayList<>();
    routes.addAll(new HealthRoutes(routing.watch()::failure, metrics::scrape).routes());
    routes.addAll(new TopologyRoutes(topologies, routing.publisher(), gsis, leases).routes());
    routes.addAll(new GsiRoutes(gsis).routes());
    routes.addAll(new PlanRoutes(routing.publisher()).routes());
    routes.addAll(
        new DoctorRoutes(settings, connections, () -> routing.publisher().current().topology())
            .routes());
    routes.addAll(new ReferenceRoutes(references).routes());
    routes.addAll(new TransactionRoutes(transactions.operations()).routes());
    AdminServer admin =
        closing.add("admin", new AdminServer(address(settings.admin().listen()), routes));
    Daemon daemon = new Daemon(closing, new Daemon.Addresses(admin.address(), routerAddress));
    ticks(lock, daemon, new Vitals(engines, routing.publisher(), board), board);
    Ticks servers = closing.add("changed servers", new Ticks("changed servers"));
    servers.every(Duration.ofSeconds(2), "servers", () -> changedServers(catalog, gsis));
    Ticks slow = closing.add("table watch", new Ticks("table watch"));
    slow.every(Duration.ofSeconds(5), "tables", gsis::watchTables);
    Ticks routers = closing.add("routers", new Ticks("routers"));
    LapsedRouters lapsed = new LapsedRouters(leases, routing.lease().id(), references, engines);
    routers.every(Duration.ofSeconds(1), "lapsed leases", lapsed::look);
    routers.every(Duration.ofSeconds(5), "fences", fences::finish);
    admin.start();
    return daemon;
  }

  /** What is not settled, because a shard is down or the daemon ends, is so the next time. */
  private static void changedServers(Catalog catalog, GsiOperations gsis) {
    catalog
        .changedServers()
        .forEach(
            (shard, timeline) -> {
              gsis.serverChanged(shard);
              catalog.serverSettled(shard, timeline);
            });
  }

  /** Without those of daemons that are gone: this one has the lock. */
  private RouterLeases leases(Supplier<Connection> atHome) {
    RouterLeases leases = closing.add("leases", new RouterLeases(atHome));
    leases.all().stream()
        .map(RouterLeases.Row::id)
        .filter(id -> id.startsWith(DAEMON))
        .forEach(leases::remove);
    return leases;
  }

  /** The shards are brought up to what the catalog says before any router acts on it. */
  private Routing routing(
      Catalog catalog,
      ShardConnections connections,
      Supplier<Connection> atHome,
      TopologyOperations topologies,
      RouterLeases leases) {
    RouterLease lease = Routing.announce(DAEMON, settings, leases, closing);
    RoutingStates states = new RoutingStates(catalog, new SchemaSurvey(connections));
    RoutingState first = states.load();
    topologies.installShards(first.topology());
    catalog.rememberServers(connections.servers());
    topologies.againstShards(first.topology()).forEach(f -> log.warn("{}", f.line()));
    return Routing.start(catalog, atHome, states, first, lease, connections.known(), closing);
  }

  private Engines engines(
      Routing routing,
      ShardConnections connections,
      FenceSteps fences,
      GsiOperations gsis,
      ProgressBoard board) {
    StateStore store =
        closing.add("state", StateStore.open(settings.stateDir().resolve("rocksdb")));
    Engines.Parts parts =
        new Engines.Parts(
            settings,
            environment,
            connections,
            routing.catalog(),
            routing.publisher(),
            fences,
            routing.marks(),
            gsis,
            store,
            board);
    return closing.add("engines", new Engines(parts, routing.catalog().load().clusterId()));
  }

  /** After an unclean end nothing is known of the copies until they are compared. */
  private static CompletableFuture<Void> verifyCopies(
      RunNote run, ReferenceOperations references, MarkedCopies marks) {
    if (run.afterUncleanEnd()) {
      references.markAll(ReferenceOperations.AFTER_UNCLEAN_END);
    }
    run.settledBy(marks::settled);
    return references.verifyMarked();
  }

  /**
   * Small tables are compared by the time the first client asks; larger ones are not waited for.
   */
  private static void awaitBriefly(CompletableFuture<Void> verified) {
    try {
      verified.get(VERIFY_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      log.info("copies are still being verified");
    } catch (ExecutionException e) {
      log.warn("copies not verified", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Catalog catalog(Supplier<Connection> atHome, ShardConnections connections) {
    try (Connection connection = atHome.get()) {
      CatalogInstaller.installCatalog(connection);
    } catch (java.sql.SQLException e) {
      throw ErrorCode.SHARD_UNREACHABLE.because("the catalog cannot be installed").withCause(e);
    }
    Catalog catalog = closing.add("catalog", new Catalog(atHome));
    connections.remember(catalog.servers());
    return catalog;
  }

  /** With a session of its own: the catalog's other work never waits for it. */
  private ProgressTable progressTable(Supplier<Connection> atHome) {
    Catalog own = closing.add("progress session", new Catalog(atHome));
    return closing.add("progress table", new ProgressTable(own::showProgress));
  }

  /** The file counts once, for an empty catalog; later the catalog rules. */
  private void applyFirst(Catalog catalog, TopologyOperations topologies, Optional<String> file) {
    CatalogState stored = catalog.load();
    Optional<String> applied = stored.document().map(CatalogState.Document::text);
    if (applied.isEmpty()) {
      String document =
          file.orElseThrow(
              () ->
                  ErrorCode.CONFIG_INVALID.because(
                      "the catalog has no topology yet and the configuration names no file"));
      long revision = topologies.applyFirst(document, "from the configured file");
      log.info("topology applied revision={} source=file", revision);
    } else if (file.isPresent() && !Wish.sameMeaning(file.get(), applied.get())) {
      log.warn(
          "topology file differs from the applied one, which rules revision={} file={}",
          stored.revision(),
          settings.topology().map(Path::toString).orElse(""));
    }
  }

  private void ticks(DaemonLock lock, Daemon daemon, Vitals vitals, ProgressBoard board) {
    Ticks ticks = closing.add("ticks", new Ticks("ticks"));
    ticks.every(
        Duration.ofSeconds(2),
        "lock",
        () -> {
          if (!lock.holds()) {
            daemon.fail("another daemon has taken the lock");
          }
        });
    ticks.every(
        Duration.ofSeconds(2),
        "progress",
        () -> {
          vitals.refresh();
          board.logRunning();
        });
  }

  private static InetSocketAddress address(ShardAddress listen) {
    return Address.parse(listen.toString(), "admin.listen");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw ErrorCode.CONFIG_INVALID
          .because("the topology file " + file + " cannot be read")
          .withCause(e);
    }
  }
}
