package org.pgconcord.daemon;

import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.replica.Replicas;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.RouterMetrics;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.auth.BackendSecret;
import org.pgconcord.router.backend.ShardDirectory;
import org.pgconcord.router.backend.TlsMode;
import org.pgconcord.router.entries.LookupIndexes;
import org.pgconcord.router.entries.Suspects;
import org.pgconcord.router.exec.Executor;
import org.pgconcord.router.exec.RouterServices;
import org.pgconcord.router.plan.StatementPlanner;
import org.pgconcord.router.tx.CopyMarker;
import org.pgconcord.router.tx.Deadlocks;
import org.pgconcord.router.tx.Decisions;
import org.pgconcord.router.tx.RouterEpochs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts the router together from settings, catalog and routing states. */
final class RouterParts {
  private static final Logger log = LoggerFactory.getLogger(RouterParts.class);

  private final DaemonSettings settings;
  private final Map<String, String> environment;

  RouterParts(DaemonSettings settings, Map<String, String> environment) {
    this.settings = settings;
    this.environment = environment;
  }

  /** A router that is not listening yet. */
  RouterServer server(
      RouterEpochs epochs,
      Catalog catalog,
      CopyMarker marker,
      Decisions decisions,
      KnownServers known,
      Replicas replicas,
      Supplier<IndexStatistics> statistics,
      MeterRegistry registry,
      Closing closing) {
    RouterMetrics metrics = new RouterMetrics(registry);
    RouterServices services =
        new RouterServices(
            epochs,
            new StatementPlanner(),
            new LookupIndexes(epochs.current()),
            closing.add("suspects", new CatalogSuspects(catalog)),
            marker,
            metrics,
            new Deadlocks(),
            RouterServices.DEFAULT_LOCK_TIMEOUT,
            decisions,
            replicas,
            statistics);
    return new RouterServer(
        RouterSettings.of(unresolvedToListen(), auth())
            .withUsersFile(settings.router().usersFile())
            .withAnswerTimeout(settings.router().answerTimeout())
            .withFailoverWait(settings.router().failoverWait()),
        directory(settings.shards(), known),
        () -> epochs.current().topology(),
        new RouterServer.ServiceRole(settings.serviceRole().user(), secret()),
        Executor.factory(services),
        metrics);
  }

  private InetSocketAddress unresolvedToListen() {
    ShardAddress listen = settings.router().listen();
    return new InetSocketAddress(listen.host(), listen.port());
  }

  private RouterSettings.Auth auth() {
    return switch (settings.router().auth()) {
      case TRUST -> RouterSettings.Auth.TRUST;
      case SCRAM -> RouterSettings.Auth.SCRAM;
    };
  }

  /** The service role has one password for all shards: that of the first that names one. */
  private BackendSecret secret() {
    ServicePassword password = new ServicePassword(settings.serviceRole(), environment);
    return settings.shards().values().stream()
        .flatMap(
            shard ->
                password
                    .find(shard.hosts().get(0), shard.database(settings.catalogDatabase()))
                    .stream())
        .findFirst()
        .map(BackendSecret::password)
        .orElse(BackendSecret.TRUST);
  }

  private static ShardDirectory directory(Map<ShardId, ShardSettings> shards, KnownServers known) {
    return new ShardDirectory() {
      @Override
      public KnownServers known() {
        return known;
      }

      @Override
      public List<InetSocketAddress> hosts(ShardId shard) {
        return of(shard).hosts().stream()
            .map(host -> InetSocketAddress.createUnresolved(host.host(), host.port()))
            .toList();
      }

      @Override
      public String database(ShardId shard, String logicalDatabase) {
        return of(shard).database(logicalDatabase);
      }

      @Override
      public TlsMode tls(ShardId shard) {
        return TlsMode.of(of(shard).sslmode());
      }

      private ShardSettings of(ShardId shard) {
        ShardSettings found = shards.get(shard);
        if (found == null) {
          throw org.pgconcord.config.error.ErrorCode.CONFIG_INVALID.because(
              "shard " + shard + " has no entry under shards");
        }
        return found;
      }
    };
  }

  /** Stores suspects away from the event loops that meet them. */
  private static final class CatalogSuspects implements Suspects, AutoCloseable {
    private final Catalog catalog;
    private final ExecutorService writer =
        Executors.newSingleThreadExecutor(
            work -> {
              Thread thread = new Thread(work, "suspects");
              thread.setDaemon(true);
              return thread;
            });

    private CatalogSuspects(Catalog catalog) {
      this.catalog = catalog;
    }

    @Override
    public void record(GsiName gsi, Collection<Tuple> identities) {
      List<String> keys = identities.stream().map(Tuple::stored).toList();
      writer.execute(() -> store(gsi, keys));
    }

    /** A key that cannot be stored is found by the next sweep of the lookup table. */
    private void store(GsiName gsi, List<String> keys) {
      try {
        catalog.addSuspects(gsi, keys);
      } catch (ConcordException e) {
        log.warn("suspect keys not stored gsi={} keys={}", gsi, keys.size(), e);
      }
    }

    @Override
    public void close() {
      writer.shutdown();
    }
  }
}
