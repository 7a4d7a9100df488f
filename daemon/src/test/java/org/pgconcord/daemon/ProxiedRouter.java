package org.pgconcord.daemon;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.pgconcord.config.atomic.DecisionLog;
import org.pgconcord.config.atomic.GlobalId;
import org.pgconcord.config.atomic.PartialCommits;
import org.pgconcord.config.atomic.Resolution;
import org.pgconcord.config.atomic.RouterPresence;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.RoutingStates;
import org.pgconcord.config.check.SchemaSurvey;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.Overrides;
import org.pgconcord.config.settings.SettingsReader;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.transactions.Resolver;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.HandOvers;
import org.pgconcord.router.tx.PartialCommitLog;
import org.pgconcord.router.tx.RouterEpochs;
import org.pgconcord.router.tx.StoredDecisions;
import org.pgconcord.testkit.fault.FaultNetwork;

/**
 * Routers in this JVM whose links to the shards go through a fault network, one at a time; each is
 * new, as after a restart, and begins as a daemon does: by settling what the one before it left in
 * two-phase commit. They share the catalog with the daemon that owns it. What they write there goes
 * through the network too, by way of the server {@link #DECISIONS} or {@link #CATALOG}: a machine
 * that is gone decides and stores nothing.
 */
public final class ProxiedRouter implements AutoCloseable {
  /** The catalog's server as the router's decisions reach it. */
  public static final String DECISIONS = "decisions";

  /** The same for marks, suspects and states. */
  public static final String CATALOG = "catalog";

  private static final String LOGICAL_DATABASE = "app";

  private final FaultNetwork network;
  private final DaemonSettings proxied;
  private final ShardConnections direct;
  private Closing running = new Closing();
  private int port;

  /**
   * Starts the first one.
   *
   * @param direct the daemon's configuration
   * @param proxied the same, with the network's ports for the shards' and a free one to listen on
   */
  public ProxiedRouter(FaultNetwork network, String direct, String proxied) {
    this.network = network;
    this.proxied = read(proxied);
    this.direct = ShardConnections.of(read(direct), Map.of());
    start();
  }

  private static DaemonSettings read(String document) {
    return SettingsReader.read(document, Path.of("."), Overrides.none());
  }

  private void start() {
    Catalog catalog = running.add("catalog", new Catalog(home(CATALOG)));
    RoutingStates states = new RoutingStates(catalog, new SchemaSurvey(direct));
    RouterEpochs epochs = new RouterEpochs(states.load());
    RouterServer server =
        new RouterParts(proxied, Map.of())
            .server(
                epochs,
                catalog,
                (table, copies, reason) -> mark(catalog, epochs, table, copies, reason),
                decisions(catalog.load().clusterId()),
                new KnownServers(),
                Replicas.NONE,
                () -> IndexStatistics.NONE,
                new SimpleMeterRegistry(),
                running);
    running.add("router", server);
    port = server.start().getPort();
  }

  private Decisions decisions(String cluster) {
    DecisionLog log = running.add("decision log", new DecisionLog(home(CATALOG)));
    Resolver resolver =
        new Resolver(
            new Resolver.Services(
                log,
                direct,
                cluster,
                proxied.shards().keySet(),
                () -> new TreeSet<>(List.of(LOGICAL_DATABASE)),
                Resolution.Limits.DEFAULT));
    resolver.sweep();
    String router = GlobalId.random(new SecureRandom());
    return running.add(
        "decisions",
        new StoredDecisions(
            new StoredDecisions.Names(cluster, router, proxied.serviceRole().user()),
            new DecisionLog(RouterPresence.shown(router, home(DECISIONS))),
            new PartialCommitLog(new PartialCommits(home(DECISIONS))),
            new HandOvers(
                transactions -> resolver.settleSoon(transactions, "resolver"),
                () -> HandOvers.HELD),
            resolver::refusing,
            Duration.ofSeconds(30)));
  }

  private Supplier<Connection> home(String server) {
    return () -> {
      try {
        return connect(network.port(server), proxied.serviceRole().user(), "pgconcord");
      } catch (SQLException e) {
        throw ErrorCode.CATALOG_UNAVAILABLE.because("the catalog did not answer").withCause(e);
      }
    };
  }

  private static CompletableFuture<Void> mark(
      Catalog catalog, RouterEpochs epochs, CopiedTable table, Set<ShardId> copies, String reason) {
    return CompletableFuture.runAsync(
            () -> {
              catalog.markCopies(table, copies, reason);
              epochs.publish(epochs.current().withCopies(catalog.load().copies()));
            })
        .exceptionally(
            failure -> {
              if (failure.getCause() instanceof ConcordException) {
                return null; // the machine is gone; whoever comes next marks
              }
              throw new IllegalStateException(failure);
            });
  }

  /** Ends the router and starts another. */
  public void restart() {
    running.close();
    network.up();
    running = new Closing();
    start();
  }

  /** A client's session, as the tables' owner; its backends carry {@code application}. */
  public Connection connect(String application) throws SQLException {
    return connect(port, "demo", application);
  }

  private static Connection connect(int port, String user, String application) throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", user);
    properties.setProperty("sslmode", "disable");
    properties.setProperty("ApplicationName", application);
    properties.setProperty("assumeMinServerVersion", "15");
    return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/app", properties);
  }

  @Override
  public void close() {
    running.close();
  }
}
