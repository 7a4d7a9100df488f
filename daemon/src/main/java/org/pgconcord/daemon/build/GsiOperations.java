package org.pgconcord.daemon.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.apply.TailListener;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.catalog.StoredReport;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.topology.GsiNames;
import org.pgconcord.state.lifecycle.GsiEvent;
import org.pgconcord.verifier.gate.UnmetCondition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Every declared index's operations, by the name that a person gives. Any thread. */
public final class GsiOperations implements TailListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GsiOperations.class);

  private final RoutingPublisher publisher;
  private final ProgressBoard board;
  private final Map<GsiName, IndexOperations> indexes = new ConcurrentHashMap<>();
  private @Nullable Function<String, EngineServices> engines;

  public GsiOperations(RoutingPublisher publisher, ProgressBoard board) {
    this.publisher = publisher;
    this.board = board;
  }

  /**
   * What is known of an index.
   *
   * @param operation what runs; empty while idle
   * @param failure of the last operation
   */
  public record Overview(
      GsiName gsi,
      GsiStatus status,
      Optional<StoredReport> report,
      long conflicts,
      List<ShardProgress> shards,
      Optional<String> operation,
      String step,
      @Nullable ConcordException failure) {}

  /**
   * Takes up every index where the catalog has it. Returns when the streams are followed again;
   * longer work goes on.
   *
   * @param services of a logical database
   */
  public void start(Function<String, EngineServices> services) {
    engines = services;
    for (Gsi gsi : declared()) {
      GsiState state = publisher.current().status(gsi.name()).state();
      if (state != GsiState.DECLARED && state != GsiState.BLOCKED) {
        background("resume", gsi.name(), IndexOperations::resume);
      }
    }
  }

  public Overview overview(String name) {
    return overview(GsiNames.find(topology().topology(), name).name());
  }

  public List<Overview> all() {
    return declared().stream().map(gsi -> overview(gsi.name())).toList();
  }

  private Overview overview(GsiName gsi) {
    IndexOperations operations = of(gsi);
    IndexThread.Activity activity = operations.thread().activity();
    return new Overview(
        gsi,
        operations.status(),
        operations.newestReport(),
        services(gsi).catalog().countConflicts(gsi),
        board.of(gsi),
        activity.operation(),
        activity.step(),
        activity.failure());
  }

  /** Starts a build, or attaches to the running one. */
  public void build(String name) {
    GsiName gsi = find(name);
    background("build", gsi, IndexOperations::build);
  }

  public StoredReport verify(String name) {
    IndexOperations operations = of(find(name));
    return operations.thread().call("verify", operations::verify);
  }

  /** What the gate would refuse for. */
  public List<UnmetCondition> check(String name) {
    IndexOperations operations = of(find(name));
    return operations.thread().call("check", operations::check);
  }

  public List<Conflict> conflicts(String name, int limit) {
    GsiName gsi = find(name);
    return services(gsi).catalog().conflicts(gsi, limit);
  }

  public void enable(String name) {
    run("enable", find(name), IndexOperations::enable);
  }

  public void disable(GsiName gsi) {
    run("disable", gsi, IndexOperations::disable);
  }

  /** Disables and lets the slots go that no other index needs. */
  public void stop(GsiName gsi) {
    run("stop", gsi, IndexOperations::stop);
  }

  /** Starts the gate for a wish that a document has newly expressed. */
  public void pursue(GsiName gsi) {
    background("gate", gsi, IndexOperations::pursueWish);
  }

  public GsiName find(String name) {
    return GsiNames.find(topology().topology(), name).name();
  }

  /** Looks whether the tables of the indexes that have been built were altered. Any thread. */
  public void watchTables() {
    for (Gsi gsi : declared()) {
      GsiState state = publisher.current().status(gsi.name()).state();
      if (state == GsiState.TAILING || state.maintained()) {
        if (of(gsi.name()).watchTables()) {
          takeInPartitions(gsi.name());
        }
      }
    }
  }

  /** While another operation runs the next look asks again. */
  private void takeInPartitions(GsiName gsi) {
    try {
      background("partitions", gsi, IndexOperations::takeInPartitions);
    } catch (ConcordException e) {
      log.info("gsi is busy, partitions wait gsi={} cause=\"{}\"", gsi, e.message());
    }
  }

  /**
   * A shard has another server. Returns when no index is read that was compared with the one before
   * only; they are compared again and read afterwards. Not on an index's thread.
   */
  public void serverChanged(ShardId shard) {
    List<GsiName> late = new ArrayList<>();
    for (Gsi gsi : declared()) {
      GsiState state = publisher.current().status(gsi.name()).state();
      if (state.maintained() || state == GsiState.FILLING || state == GsiState.TAILING) {
        try {
          serverChanged(shard, of(gsi.name()));
        } catch (RuntimeException e) {
          log.warn("gsi does not know of the server yet gsi={} shard={}", gsi.name(), shard, e);
          late.add(gsi.name());
        }
      }
    }
    if (!late.isEmpty()) {
      throw ErrorCode.GSI_STEP_FAILED.because(late + ": not led down");
    }
  }

  private static void serverChanged(ShardId shard, IndexOperations operations) {
    if (operations.isFilledOn(shard)) {
      operations.interrupt();
    }
    operations.thread().force("server changed", () -> operations.serverChanged(shard));
    onItsOwn(
        "compare after " + shard,
        () -> operations.thread().force("compare", operations::proveAgain));
  }

  // --- what the streams tell -------------------------------------------------------------------

  @Override
  public void streamLost(StreamName stream, Throwable cause) {
    for (Gsi gsi : declared()) {
      if (gsi.name().database().equals(stream.database())) {
        stop(gsi.name(), GsiEvent.STREAM_LOST, stream + ": " + cause.getMessage());
      }
    }
  }

  @Override
  public void blocked(GsiName gsi, StreamName stream, ConcordException cause) {
    stop(gsi, GsiEvent.UNREADABLE, stream + ": " + cause.message());
  }

  @Override
  public void truncated(GsiName gsi, StreamName stream) {
    stop(gsi, GsiEvent.TRUNCATED, "the owner table was truncated on " + stream.shard());
  }

  private void stop(GsiName gsi, GsiEvent event, String reason) {
    onItsOwn(
        "stop-" + gsi,
        () -> {
          IndexOperations operations = of(gsi);
          operations.interrupt();
          operations.thread().force("stop", () -> operations.stopFor(event, reason));
        });
  }

  /** Not on the caller's thread, for which an index's thread may be waiting. */
  private static void onItsOwn(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                log.error("gsi operation failed operation={}", name, e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  // --- threads ---------------------------------------------------------------------------------

  /** An operation of an index. */
  private interface Operation {
    void run(IndexOperations index);
  }

  private void run(String name, GsiName gsi, Operation operation) {
    IndexOperations index = of(gsi);
    Boolean done =
        index
            .thread()
            .call(
                name,
                () -> {
                  operation.run(index);
                  return true;
                });
    log.debug("gsi operation ended gsi={} operation={} done={}", gsi, name, done);
  }

  private void background(String name, GsiName gsi, Operation operation) {
    IndexOperations index = of(gsi);
    Optional<CompletableFuture<Boolean>> started =
        index
            .thread()
            .start(
                name,
                () -> {
                  operation.run(index);
                  return true;
                });
    log.info("gsi operation gsi={} operation={} started={}", gsi, name, started.isPresent());
  }

  private IndexOperations of(GsiName gsi) {
    return indexes.computeIfAbsent(gsi, name -> new IndexOperations(name, services(name)));
  }

  private EngineServices services(GsiName gsi) {
    Function<String, EngineServices> known = engines;
    if (known == null) {
      throw new IllegalStateException("not started");
    }
    return known.apply(gsi.database());
  }

  private RoutingState topology() {
    return publisher.current();
  }

  private List<Gsi> declared() {
    return topology().topology().databases().values().stream()
        .flatMap(database -> database.gsis().stream())
        .toList();
  }

  @Override
  public void close() {
    indexes.values().forEach(IndexOperations::close);
  }
}
