package org.pgconcord.daemon;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.pgconcord.cdc.apply.Suspects;
import org.pgconcord.cdc.apply.Tails;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Publications;
import org.pgconcord.cdc.slot.SlotNames;
import org.pgconcord.cdc.slot.Slots;
import org.pgconcord.cdc.slot.StreamConnections;
import org.pgconcord.cdc.source.DebeziumStreams;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.settings.DaemonSettings;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.daemon.build.EngineServices;
import org.pgconcord.daemon.build.FenceSteps;
import org.pgconcord.daemon.build.FoundOwners;
import org.pgconcord.daemon.build.GsiOperations;
import org.pgconcord.daemon.build.MarkedCopies;
import org.pgconcord.daemon.build.Preconditions;
import org.pgconcord.daemon.build.ProgressBoard;
import org.pgconcord.daemon.build.ReferenceOperations;
import org.pgconcord.daemon.build.RoutingPublisher;
import org.pgconcord.daemon.build.SharedSlots;
import org.pgconcord.daemon.build.VerifierAdapters;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.verifier.Verifier;
import org.pgconcord.verifier.VerifierServices;
import org.pgconcord.verifier.VerifyOptions;

/** Builds the sync engine of each logical database when it is first needed. Part of the wiring. */
final class Engines implements AutoCloseable {
  private static final Duration SWEEP = Duration.ofHours(24);

  private final Parts parts;
  private final Slots slots;
  private final Publications publications;
  private final ExecutorService threads;
  private final Map<String, EngineServices> engines = new TreeMap<>();

  /** What all engines share. */
  record Parts(
      DaemonSettings settings,
      Map<String, String> environment,
      ShardConnections connections,
      Catalog catalog,
      RoutingPublisher publisher,
      FenceSteps fences,
      MarkedCopies marks,
      GsiOperations operations,
      StateStore store,
      ProgressBoard board) {}

  Engines(Parts parts, String clusterId) {
    this.parts = parts;
    SlotNames names = new SlotNames(clusterId);
    StreamConnections streams = streamConnections(parts.connections());
    this.slots = new Slots(names, streams);
    this.publications = new Publications(names, streams);
    int shards = parts.settings().shards().size();
    this.threads =
        Executors.newFixedThreadPool(
            2 * shards + 2,
            task -> {
              Thread thread = new Thread(task, "verify");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Verifies reference tables with the engines' threads. */
  ReferenceOperations references() {
    return new ReferenceOperations(
        parts.catalog(),
        parts.publisher(),
        parts.marks(),
        parts.connections(),
        threads,
        Clock.systemUTC());
  }

  Slots slots() {
    return slots;
  }

  synchronized EngineServices of(String database) {
    return engines.computeIfAbsent(database, this::build);
  }

  /** Starts a pass over the lookup table of every index that is audited. */
  void sweepAll() {
    Set<GsiName> known = parts.publisher().current().gsis().keySet();
    all().forEach(engine -> known.forEach(engine.tails()::sweep));
  }

  /** The engines that have been built. */
  synchronized List<EngineServices> all() {
    return List.copyOf(engines.values());
  }

  private EngineServices build(String database) {
    SettlementRunner.Sessions sessions = shard -> parts.connections().open(shard, database);
    Tails tails =
        new Tails(
            new Tails.Services(
                database,
                new DebeziumStreams(this::address, slots, parts.store()),
                sessions,
                parts.store(),
                parts.operations(),
                new FoundOwners(parts.catalog()).ofStreams(),
                suspects(parts.catalog()),
                SWEEP,
                Clock.systemUTC()));
    reserve(database, tails);
    return new EngineServices(
        parts.catalog(),
        parts.publisher(),
        parts.fences(),
        new Preconditions(parts.connections()),
        slots,
        publications,
        new SharedSlots(slots),
        tails,
        verifier(tails, sessions),
        sessions,
        parts.store(),
        parts.settings().stateDir(),
        parts.board(),
        Clock.systemUTC());
  }

  /**
   * Before any index is served: one that comes in later must find its position in the slots still.
   */
  private void reserve(String database, Tails tails) {
    RoutingState current = parts.publisher().current();
    CatalogState stored = parts.publisher().stored();
    current.topology().database(database).stream()
        .flatMap(declared -> declared.gsis().stream())
        .filter(gsi -> stored.status(gsi.name()).state().needsStreams())
        .forEach(gsi -> tails.reserve(LookupIndex.resolve(current, gsi)));
  }

  private Verifier verifier(Tails tails, SettlementRunner.Sessions sessions) {
    return new Verifier(
        new VerifierServices(
            sessions,
            VerifierAdapters.positions(tails.positions()),
            VerifierAdapters.log(tails),
            threads,
            Clock.systemUTC(),
            new SecureRandom(),
            (gsi, shard, rows, all) -> parts.board().report(gsi, shard, "verify", rows, all),
            VerifierAdapters.blindWrites(tails),
            VerifyOptions.defaults()));
  }

  private DebeziumStreams.Address address(StreamName stream) {
    ShardAddress primary = parts.connections().primary(stream.shard());
    String database = parts.connections().database(stream.shard(), stream.database());
    String password =
        new ServicePassword(parts.settings().serviceRole(), parts.environment())
            .find(primary, database)
            .orElse("");
    var shard = parts.settings().shards().get(stream.shard());
    return new DebeziumStreams.Address(
        primary.host(),
        primary.port(),
        database,
        parts.settings().serviceRole().user(),
        password,
        shard == null ? "prefer" : shard.sslmode());
  }

  private static StreamConnections streamConnections(ShardConnections connections) {
    return new StreamConnections() {
      @Override
      public java.sql.Connection open(StreamName stream) {
        return connections.open(stream.shard(), stream.database());
      }

      @Override
      public java.sql.Connection openReplication(StreamName stream) {
        return connections.openReplication(stream.shard(), stream.database());
      }
    };
  }

  private static Suspects suspects(Catalog catalog) {
    return new Suspects() {
      @Override
      public List<Tuple> keys(LookupIndex index, int limit) {
        List<Tuple> identities = new ArrayList<>();
        for (String key : catalog.suspects(index.name(), limit)) {
          read(index, key).ifPresent(identities::add);
        }
        return identities;
      }

      /** One of another definition of the index is dropped: its lookup table is filled anew. */
      private Optional<Tuple> read(LookupIndex index, String key) {
        try {
          return Optional.of(Tuple.read(key, index.identity().size()));
        } catch (IllegalArgumentException e) {
          catalog.removeSuspect(index.name(), key);
          return Optional.empty();
        }
      }

      @Override
      public void remove(LookupIndex index, Tuple identity) {
        catalog.removeSuspect(index.name(), identity.stored());
      }
    };
  }

  @Override
  public synchronized void close() {
    engines.values().forEach(engine -> engine.tails().close());
    threads.shutdownNow();
  }
}
