package org.pgconcord.daemon;

import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogWatch;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.replica.ReplicaWatch;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.PrimaryWatch;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.daemon.build.MarkedCopies;
import org.pgconcord.daemon.build.RoutingPublisher;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.tx.RouterEpochs;

/**
 * What every router of the cluster stands on, in the daemon or alone: the catalog's state as this
 * process has it, what keeps it fresh, and the lease by which it may be acted on. Part of the
 * wiring.
 */
record Routing(
    Catalog catalog,
    RouterLease lease,
    RouterEpochs epochs,
    RoutingPublisher publisher,
    CatalogWatch watch,
    MarkedCopies marks) {
  /** A server that was followed unseen is used no longer than that. */
  private static final Duration SERVERS_PERIOD = Duration.ofSeconds(2);

  /** A lease that the catalog knows of and nobody holds yet: before the catalog is read. */
  static RouterLease announce(
      String prefix, DaemonSettings settings, RouterLeases leases, Closing closing) {
    RouterLease lease =
        closing.add(
            "lease",
            new RouterLease(
                prefix + GlobalId.random(new SecureRandom()),
                settings.router().listen().toString(),
                leases));
    lease.announce();
    return lease;
  }

  /** Follows the catalog from its first state on, and takes the lease. */
  static Routing start(
      Catalog catalog,
      Supplier<Connection> atHome,
      RoutingStates states,
      RoutingState first,
      RouterLease lease,
      KnownServers known,
      Closing closing) {
    RouterEpochs epochs = new RouterEpochs(first, lease::valid);
    epochs.follow(known);
    RoutingPublisher publisher = new RoutingPublisher(catalog, states, epochs);
    CatalogWatch watch =
        closing.add("catalog watch", new CatalogWatch(catalog, states, atHome, publisher::publish));
    watch.start();
    MarkedCopies marks = closing.add("copy marks", new MarkedCopies(catalog, publisher));
    lease.start(
        new RouterLease.Work(
            () -> epochs.current().revision(),
            epochs::acknowledged,
            publisher::readCatalog,
            publisher::everyMarkStored));
    return new Routing(catalog, lease, epochs, publisher, watch, marks);
  }

  /** What commits in two phases here, and settles what another process left. */
  TransactionParts transactions(
      DaemonSettings settings,
      ShardConnections connections,
      Supplier<Connection> atHome,
      Closing closing) {
    return new TransactionParts(
        atHome,
        connections,
        catalog.load().clusterId(),
        settings.shards().keySet(),
        () -> new TreeSet<>(publisher.current().topology().databases().keySet()),
        closing);
  }

  /** A router that is not listening yet. */
  RouterServer router(
      DaemonSettings settings,
      Map<String, String> environment,
      ShardConnections connections,
      TransactionParts transactions,
      Metrics metrics,
      Closing closing) {
    watchServers(settings, connections, closing);
    ReplicaWatch replicas =
        closing.add(
            "replicas",
            new ReplicaWatch(connections, settings.shards().keySet(), settings.catalogDatabase()));
    replicas.start();
    metrics.watch(replicas);
    LookupStatistics statistics =
        closing.add("statistics", new LookupStatistics(epochs::current, connections));
    statistics.start();
    return closing.add(
        "router",
        new RouterParts(settings, environment)
            .server(
                epochs,
                catalog,
                marks::mark,
                transactions.decisions(
                    settings.serviceRole().user(), settings.router().answerTimeout(), closing),
                connections.known(),
                replicas,
                statistics,
                metrics.registry(),
                closing));
  }

  private void watchServers(
      DaemonSettings settings, ShardConnections connections, Closing closing) {
    Ticks memory = closing.add("server memory", new Ticks("server memory"));
    memory.every(
        SERVERS_PERIOD, "servers", new ServerMemory(catalog, connections.known())::exchange);
    closing
        .add(
            "primaries",
            new PrimaryWatch(
                connections,
                settings.shards().keySet(),
                settings.catalogDatabase(),
                SERVERS_PERIOD))
        .start();
  }
}
