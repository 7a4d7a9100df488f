package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.cdc.apply.ServingMode;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.Fences;
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

  private final GsiName gsi;
  private final EngineServices services;
  private final Filling filling;
  private final Map<ShardId, Lsn> fences = new HashMap<>();
  private Optional<ServingMode> serving = Optional.empty();

  IndexMachinery(GsiName gsi, EngineServices services) {
    this.gsi = gsi;
    this.services = services;
    this.filling = new Filling(gsi, services, this::isShared);
  }

  @Override
  public void perform(GsiAction action, GsiStatus status) throws Exception {
    switch (action) {
      case PREPARE_SLOTS -> prepare();
      case BACKFILL -> filling.run(index());
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
    filling.forget(index);
    for (ShardId shard : index.ownerShards()) {
      services.publications().publish(stream(shard), index.gsi().owner(), identity(index));
    }
    filling.makeSlots(index);
  }

  private void createLookup(LookupIndex index) throws SQLException {
    for (ShardId lookup : index.lookupShards()) {
      try (Connection connection = services.sessions().open(lookup);
          Statement statement = connection.createStatement()) {
        for (String sql : LookupDdl.createTable(index)) {
          statement.execute(sql);
        }
        for (String sql : LookupDdl.createCovering(index)) {
          statement.execute(sql);
        }
        for (String sql : LookupDdl.createFunctions(index)) {
          statement.execute(sql);
        }
      }
    }
    services.publisher().reload();
  }

  /**
   * An index that has become covering gets what that takes, which its build did not make. Only
   * where it is missing: the ALTER waits for everybody who reads the lookup table, and they for it.
   */
  void equip() throws SQLException {
    LookupIndex index = index();
    boolean changed = false;
    for (ShardId lookup : index.lookupShards()) {
      try (Connection connection = services.sessions().open(lookup);
          Statement statement = connection.createStatement()) {
        if (index.gsi().covering() && isTrue(statement, LookupDdl.lacksCovering(index))) {
          for (String sql : LookupDdl.createCovering(index)) {
            statement.execute(sql);
          }
          changed = true;
        }
      }
    }
    if (changed) {
      services.publisher().reload();
    }
  }

  private static boolean isTrue(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getBoolean(1);
    }
  }

  /** What an old row image must carry. */
  private static Set<String> identity(LookupIndex index) {
    Set<String> columns = new HashSet<>(index.owner().primaryKey());
    index.columns().forEach(column -> columns.add(column.name()));
    return columns;
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
    filling.stop();
  }

  @Override
  public void close() {
    filling.close();
  }
}
