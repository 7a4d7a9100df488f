package org.pgconcord.daemon;

import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogInstaller;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.admin.Address;
import org.pgconcord.daemon.admin.AdminServer;
import org.pgconcord.daemon.admin.HealthRoutes;
import org.pgconcord.daemon.admin.PlanRoutes;
import org.pgconcord.daemon.admin.Route;
import org.pgconcord.daemon.topology.CatalogLocation;
import org.pgconcord.router.RouterServer;

/**
 * Builds a process that is a router alone: no engine, no slots, no storage of its own, any number
 * of them beside the one daemon, whose catalog they share. It changes nothing in the catalog but
 * its own lease, marks of copies, suspects, and what two-phase commit remembers.
 */
final class RouterWiring {
  private final DaemonSettings settings;
  private final Map<String, String> environment;
  private final Closing closing = new Closing();

  RouterWiring(DaemonSettings settings, Map<String, String> environment) {
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
    ListenAddresses.requireFree(settings);
    ShardConnections connections = ShardConnections.of(settings, environment);
    ShardId home = home(connections);
    Supplier<Connection> atHome = () -> connections.open(home, settings.catalogDatabase());
    requireCatalog(atHome);
    Catalog catalog = closing.add("catalog", new Catalog(atHome));
    connections.remember(catalog.servers());
    RouterLeases leases = closing.add("leases", new RouterLeases(atHome));
    RouterLease lease = Routing.announce("router-", settings, leases, closing);
    RoutingStates states = new RoutingStates(catalog, new SchemaSurvey(connections));
    Routing routing =
        Routing.start(catalog, atHome, states, states.load(), lease, connections.known(), closing);
    Metrics metrics = closing.add("metrics", new Metrics(List::of, routing.epochs()));
    TransactionParts transactions = routing.transactions(settings, connections, atHome, closing);
    RouterServer router =
        routing.router(settings, environment, connections, transactions, metrics, closing);
    InetSocketAddress routerAddress = router.start();
    AdminServer admin =
        closing.add(
            "admin",
            new AdminServer(
                Address.parse(settings.admin().listen().toString(), "admin.listen"),
                routes(routing, metrics)));
    admin.start();
    return new Daemon(closing, new Daemon.Addresses(admin.address(), routerAddress));
  }

  private ShardId home(ShardConnections connections) {
    try {
      return CatalogLocation.find(settings, connections, Optional.empty());
    } catch (ConcordException e) {
      throw e.code() == ErrorCode.CONFIG_INVALID && settings.topology().isPresent()
          ? noCatalog()
          : e;
    }
  }

  /** A catalog that only an earlier version has written is none to this one. */
  private static void requireCatalog(Supplier<Connection> atHome) {
    try (Connection connection = atHome.get()) {
      if (!CatalogInstaller.isUpToDate(connection)) {
        throw noCatalog();
      }
    } catch (SQLException e) {
      throw ErrorCode.CATALOG_UNAVAILABLE
          .because("the catalog did not answer")
          .withDetail(String.valueOf(e.getMessage()))
          .withCause(e);
    }
  }

  private static ConcordException noCatalog() {
    return ErrorCode.ROUTER_NO_CATALOG.because("no daemon of this version has made a catalog yet");
  }

  private static List<Route> routes(Routing routing, Metrics metrics) {
    Supplier<Optional<String>> trouble =
        () ->
            routing.lease().valid()
                ? routing.watch().failure()
                : Optional.of("the router's lease has lapsed");
    List<Route> routes = new ArrayList<>(new HealthRoutes(trouble, metrics::scrape).routes());
    routes.addAll(new PlanRoutes(routing.publisher()).routes());
    return routes;
  }
}
