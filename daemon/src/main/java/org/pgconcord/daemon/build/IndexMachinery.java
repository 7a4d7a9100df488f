package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.backfill.Backfill;
import org.pgconcord.backfill.BackfillProgress;
import org.pgconcord.backfill.BackfillResult;
import org.pgconcord.backfill.OwnerSnapshot;
import org.pgconcord.cdc.apply.ServingMode;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.config.catalog.CatalogState;
import org.pgconcord.config.catalog.FencedTable;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.state.lifecycle.GsiAction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One index's machinery over slots, backfill, tails and the router. Used by the index's own thread
 * alone.
 *
 * <p>What it keeps between actions (held snapshots, fences, how the tails serve) is lost with the
 * process and made again by the first actions of the next start.
 */
final class IndexMachinery implements Machinery, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IndexMachinery.class);
  private static final Duration DRAIN = Duration.ofSeconds(60);
  private static final int SNAPSHOT_ATTEMPTS = 5;

  private final GsiName gsi;
  private final EngineServices services;
  private final Map<ShardId, HeldSnapshot> snapshots = new TreeMap<>();
  private final Map<ShardId, Lsn> fences = new HashMap<>();
  private Optional<ServingMode> serving = Optional.empty();
  private volatile Optional<Backfill> running = Optional.empty();

  IndexMachinery(GsiName gsi, EngineServices services) {
    this.gsi = gsi;
    this.services = services;
  }

  @Override
  public void perform(GsiAction action, GsiStatus status) throws Exception {
    switch (action) {
      case PREPARE_SLOTS -> prepare();
      case BACKFILL -> backfill();
      case APPLY_BLINDLY -> applyBlindly();
      case QUIESCE_BLIND_WRITES -> quiesce();
      case EMIT_FENCES -> emitFences();
      case RAISE_READ_EPOCH -> raiseReadEpoch(status.epoch() + 1);
      case DRAIN -> drain();
      case AUDIT -> audit();
      case STOP_APPLYING -> stopApplying();
      case DROP_SLOTS -> dropSlots();
      case ALERT -> log.error("gsi needs attention gsi={} state={}", gsi, status.state().word());
      case PUBLISH -> throw new IllegalArgumentException("the driver publishes");
    }
  }

  /** The index as topology and schemas have it now. */
  LookupIndex index() {
    return LookupIndex.resolve(services.publisher().current(), services.publisher().declared(gsi));
  }

  /** The tails have the index in their care, blindly or as auditors. */
  boolean served() {
    return serving.isPresent();
  }

  /** A tail has given the index up. */
  void lost() {
    serving = Optional.empty();
  }

  // --- up --------------------------------------------------------------------------------------

  private void prepare() throws SQLException {
    LookupIndex index = index();
    services.preconditions().require(services.publisher().current().topology(), index.gsi());
    createLookup(index);
    services.tails().unpark(index);
    services.catalog().clearConflicts(gsi);
    new Backfill(index, services.backfill(index), progress -> {}).forget();
    for (ShardId shard : index.ownerShards()) {
      services.publications().publish(stream(shard), index.gsi().owner(), identity(index));
    }
    releaseSnapshots();
    services.tails().reserve(index);
    for (ShardId shard : index.ownerShards()) {
      makeSlot(shard);
    }
  }

  private void createLookup(LookupIndex index) throws SQLException {
    for (ShardId lookup : index.lookupShards()) {
      try (Connection connection = services.sessions().open(lookup);
          Statement statement = connection.createStatement()) {
        for (String sql : LookupDdl.createTable(index)) {
          statement.execute(sql);
        }
        for (String sql : LookupDdl.createFunctions(index)) {
          statement.execute(sql);
        }
      }
    }
    services.publisher().reload();
  }

  /** What an old row image must carry. */
  private static Set<String> identity(LookupIndex index) {
    Set<String> columns = new HashSet<>(index.owner().primaryKey());
    index.columns().forEach(column -> columns.add(column.name()));
    return columns;
  }

  private void makeSlot(ShardId shard) throws SQLException {
    HeldSnapshot old = snapshots.remove(shard);
    if (old != null) {
      old.close();
    }
    services
        .slots()
        .blockers(stream(shard))
        .forEach(
            blocker -> log.warn("a slot waits gsi={} shard={} for=\"{}\"", gsi, shard, blocker));
    services.board().begin(gsi, shard, "slot");
    snapshots.put(shard, services.sharedSlots().snapshot(gsi, stream(shard), isShared(shard)));
    services.board().end(gsi, shard);
  }

  private void backfill() throws SQLException {
    LookupIndex index = index();
    Backfill backfill = new Backfill(index, services.backfill(index), this::report);
    running = Optional.of(backfill);
    services.tails().reserve(index);
    try {
      renewWhatIsLost(index, backfill);
      BackfillResult result = attempt(backfill);
      index.ownerShards().forEach(shard -> services.board().end(gsi, shard));
      log.info(
          "gsi backfill ended gsi={} rows={} duplicate_rows={} null_violations={}",
          gsi,
          result.rows(),
          result.duplicateRows(),
          result.nullViolations());
    } finally {
      running = Optional.empty();
      services.sharedSlots().leave(gsi);
      releaseSnapshots();
    }
  }

  /**
   * A shard whose runs are there but whose slot is gone, or has moved past their snapshot, has a
   * gap: all begins anew.
   */
  private void renewWhatIsLost(LookupIndex index, Backfill backfill) throws SQLException {
    Set<ShardId> needed = backfill.shardsWithoutRuns();
    Map<ShardId, Lsn> points = backfill.consistentPoints();
    for (ShardId shard : index.ownerShards()) {
      Lsn point = points.get(shard);
      if (point != null && !needed.contains(shard) && !streamHas(shard, point)) {
        log.warn("slot lost during a build, beginning anew gsi={} shard={}", gsi, shard);
        backfill.forget();
        return;
      }
    }
  }

  /** Everything after the position can still be read from the stream's slot. */
  private boolean streamHas(ShardId shard, Lsn position) throws SQLException {
    return services
        .slots()
        .health(stream(shard))
        .filter(health -> !health.isLost() && !position.isBefore(health.confirmed()))
        .isPresent();
  }

  private BackfillResult attempt(Backfill backfill) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      for (ShardId shard : backfill.shardsWithoutRuns()) {
        HeldSnapshot held = snapshots.get(shard);
        if (held == null || !alive(shard) || !streamHas(shard, held.consistentPoint())) {
          makeSlot(shard);
        }
      }
      try {
        return backfill.run(ownerSnapshots());
      } catch (ConcordException e) {
        if (e.code() != ErrorCode.BACKFILL_SNAPSHOT_LOST || attempt == SNAPSHOT_ATTEMPTS) {
          throw e;
        }
        log.warn("snapshot lost, making another gsi={} cause=\"{}\"", gsi, e.message());
      }
    }
  }

  private boolean alive(ShardId shard) throws SQLException {
    HeldSnapshot held = snapshots.get(shard);
    if (held == null) {
      return false;
    }
    try (Connection other = services.sessions().open(shard)) {
      return held.isAlive(other);
    }
  }

  private Map<ShardId, OwnerSnapshot> ownerSnapshots() {
    Map<ShardId, OwnerSnapshot> all = new HashMap<>();
    snapshots.forEach(
        (shard, held) ->
            all.put(
                shard,
                new OwnerSnapshot(
                    shard, held.consistentPoint(), held.snapshotName(), hold(shard, held))));
    return all;
  }

  private OwnerSnapshot.Hold hold(ShardId shard, HeldSnapshot held) {
    return new OwnerSnapshot.Hold() {
      @Override
      public boolean alive() {
        try (Connection other = services.sessions().open(shard)) {
          return held.isAlive(other);
        } catch (SQLException e) {
          return false;
        }
      }

      @Override
      public void release() {
        held.close();
      }
    };
  }

  private void releaseSnapshots() {
    snapshots.values().forEach(HeldSnapshot::close);
    snapshots.clear();
  }

  private void report(BackfillProgress progress) {
    String phase = progress.phase() == BackfillProgress.Phase.EXPORT ? "backfill" : "load";
    services
        .board()
        .report(gsi, progress.shard(), phase, progress.rows(), progress.rowsEstimated());
    if (progress.percent() >= 100) {
      services.board().end(gsi, progress.shard());
    }
  }

  // --- the tails -------------------------------------------------------------------------------

  private void applyBlindly() {
    if (!fences.isEmpty()) {
      services.tails().resumeBlindWrites(gsi, Map.copyOf(fences));
      fences.clear();
    } else if (!serving.equals(Optional.of(ServingMode.BLIND))) {
      services.tails().serve(index(), ServingMode.BLIND);
    }
    serving = Optional.of(ServingMode.BLIND);
  }

  private void quiesce() {
    services.tails().quiesceBlindWrites(gsi);
    serving = Optional.of(ServingMode.AUDIT);
  }

  private void audit() {
    if (!serving.equals(Optional.of(ServingMode.AUDIT))) {
      services.tails().serve(index(), ServingMode.AUDIT);
      services.tails().sweep(gsi);
      serving = Optional.of(ServingMode.AUDIT);
    }
  }

  private void stopApplying() {
    services.tails().drop(gsi);
    serving = Optional.empty();
    fences.clear();
  }

  // --- down ------------------------------------------------------------------------------------

  /** What follows the fences stays in the slots, to be applied blindly after the drain. */
  private void emitFences() throws SQLException {
    services.tails().hold(gsi);
    for (ShardId shard : index().ownerShards()) {
      try (Connection connection = services.sessions().open(shard)) {
        fences.put(shard, Fences.emit(connection, "step-down " + gsi));
      }
    }
  }

  /** On every lookup shard before the step is published: a read asks only its own key's. */
  private void raiseReadEpoch(long epoch) throws SQLException {
    LookupIndex index = index();
    for (ShardId lookup : index.lookupShards()) {
      try (Connection connection = services.sessions().open(lookup);
          Statement statement = connection.createStatement()) {
        statement.execute(LookupDdl.raiseReadEpoch(index, epoch));
      }
    }
  }

  private FencedTable owner() {
    return new FencedTable(gsi.database(), index().gsi().owner());
  }

  /** On the way up: rows of transactions that no router holds are better verified than audited. */
  void awaitDirectWriters() throws InterruptedException {
    services.fences().awaitDirect(owner());
  }

  private void drain() throws InterruptedException {
    try {
      services.fences().drain(owner(), DRAIN);
    } catch (ConcordException e) {
      if (e.code() != ErrorCode.GSI_TIMED_OUT) {
        throw e;
      }
      throw ErrorCode.GSI_TIMED_OUT
          .because(
              gsi
                  + ": transactions of the older state are still open after "
                  + DRAIN.toSeconds()
                  + " s")
          .withDetail(e.detail() + "\n" + holders())
          .withHint("End them, then give the command again: it continues.");
    }
  }

  private String holders() {
    LookupIndex index = index();
    Set<ShardId> shards = new TreeSet<>(index.ownerShards());
    shards.addAll(index.lookupShards());
    List<String> lines = DrainHolders.of(services.sessions(), shards, DRAIN.toSeconds());
    return lines.isEmpty()
        ? "clients of the router that have begun a transaction and sent it nothing yet"
        : String.join("\n", lines);
  }

  private boolean isShared(ShardId shard) {
    return !new SharedStreams(gsi, users()).lastOn(shard);
  }

  private void dropSlots() throws SQLException {
    services.sharedSlots().leave(gsi);
    TableName owner = index().gsi().owner();
    SharedStreams streams = new SharedStreams(gsi, users());
    for (ShardId shard : index().ownerShards()) {
      if (streams.lastOn(shard)) {
        services.slots().drop(stream(shard));
        services.publications().drop(stream(shard));
      } else if (streams.lastOf(owner, shard)) {
        services.publications().remove(stream(shard), owner);
      }
    }
  }

  private List<SharedStreams.User> users() {
    CatalogState stored = services.publisher().stored();
    RoutingState current = services.publisher().current();
    return current.topology().databases().values().stream()
        .flatMap(database -> database.gsis().stream())
        .filter(each -> each.name().database().equals(gsi.database()))
        .filter(each -> stored.status(each.name()).state().needsStreams())
        .map(
            each ->
                new SharedStreams.User(
                    each.name(),
                    stored.status(each.name()).state(),
                    each.owner(),
                    Set.copyOf(LookupIndex.resolve(current, each).ownerShards())))
        .toList();
  }

  private StreamName stream(ShardId shard) {
    return new StreamName(gsi.database(), shard);
  }

  List<ShardId> ownerShards() {
    return index().ownerShards();
  }

  /** Ends a running backfill from another thread. */
  void stop() {
    running.ifPresent(Backfill::stop);
  }

  @Override
  public void close() {
    releaseSnapshots();
  }
}
