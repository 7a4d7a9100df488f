package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.state.store.StateStore;

/**
 * All tails of one logical database: which indexes they serve, and how. Its callers are the life
 * cycle's coordinator and the verifier, from any thread; every call blocks until each owner shard's
 * tail has carried it out between two of its batches, or fails with the first failure.
 *
 * <p>The steps of a cutover in its words: {@link #serve} blindly after the backfill; {@link
 * #quiesceBlindWrites} before {@code write_only} is published; on the way down {@link #hold}, then
 * a fence on each owner shard, then the publication and its drain, then {@link #resumeBlindWrites}.
 */
public final class Tails implements AutoCloseable {
  private final String database;
  private final SettlementRunner.Sessions sessions;
  private final StreamPositions positions;
  private final TransactionLog log;
  private final TailServices shared;
  private final AuditSweeper sweeper;
  private final Map<ShardId, Tail> tails = new TreeMap<>();
  private final Map<GsiName, LookupIndex> indexes = new TreeMap<>();

  /**
   * What tails work with.
   *
   * @param database the logical database
   * @param sessions opens sessions of the service role on that database of a shard
   * @param sweepEvery how often each audited lookup table is passed over without a reason
   */
  public record Services(
      String database,
      StreamFactory streams,
      SettlementRunner.Sessions sessions,
      StateStore store,
      TailListener listener,
      DuplicateListener duplicates,
      Suspects suspects,
      Duration sweepEvery,
      Clock clock) {}

  public Tails(Services services) {
    this.database = services.database();
    this.sessions = services.sessions();
    this.positions = new StreamPositions(sessions);
    this.log = new TransactionLog(services.store());
    this.shared =
        new TailServices(
            services.streams(),
            sessions,
            positions,
            log,
            services.listener(),
            services.duplicates(),
            services.clock());
    this.sweeper = new AuditSweeper(sessions, services.suspects(), services.sweepEvery());
  }

  public StreamPositions positions() {
    return positions;
  }

  public TransactionLog log() {
    return log;
  }

  /**
   * Keeps everything from now on in the slots for an index that will be served: its snapshots are
   * taken after this, and its build may take long. Ends with {@link #serve} or {@link #drop}.
   */
  public synchronized void reserve(LookupIndex index) {
    List<CompletableFuture<Boolean>> orders = new ArrayList<>();
    for (ShardId shard : index.ownerShards()) {
      orders.add(tails.computeIfAbsent(shard, this::tail).reserve(index.name()));
    }
    join(orders);
  }

  /** Serves an index whose lookup table is loaded, on every owner shard, from its progress rows. */
  public synchronized void serve(LookupIndex index, ServingMode mode) {
    install(index);
    indexes.put(index.name(), index);
    List<CompletableFuture<Boolean>> orders = new ArrayList<>();
    for (ShardId shard : index.ownerShards()) {
      orders.add(tails.computeIfAbsent(shard, this::tail).serve(index, mode));
    }
    join(orders);
    if (mode == ServingMode.AUDIT) {
      sweeper.audit(index);
    }
  }

  private void install(LookupIndex index) {
    index.lookupShards().forEach(lookup -> park(lookup, connection -> {}));
  }

  /** What is done where a lookup shard's parked entries are. */
  private interface ParkingWork {
    void run(Connection connection) throws SQLException;
  }

  private void park(ShardId lookup, ParkingWork work) {
    try (Connection connection = sessions.open(lookup)) {
      Parking.install(connection);
      work.run(connection);
    } catch (SQLException e) {
      throw unreachable(lookup, e);
    }
  }

  private Tail tail(ShardId shard) {
    return new Tail(new StreamName(database, shard), shared);
  }

  /**
   * Ends blind application: when it returns, the last blind transaction of every stream has ended
   * and each key that a stream shows from here on is settled. Only then may {@code write_only} be
   * published. Safe to repeat.
   */
  public synchronized void quiesceBlindWrites(GsiName gsi) {
    join(each(gsi, tail -> tail.quiesce(gsi)));
    sweeper.audit(index(gsi));
  }

  /** Keeps everything after the present positions in the slots, for a replay from a later fence. */
  public synchronized void hold(GsiName gsi) {
    join(each(gsi, tail -> tail.hold(gsi)));
  }

  /**
   * Applies blindly again: everything after each shard's fence comes once more from its slot. The
   * last maintaining epoch must have been drained.
   *
   * @param fences one position for each owner shard, taken after {@link #hold}
   */
  public synchronized void resumeBlindWrites(GsiName gsi, Map<ShardId, Lsn> fences) {
    sweeper.leave(gsi);
    List<CompletableFuture<Boolean>> orders = new ArrayList<>();
    for (ShardId shard : index(gsi).ownerShards()) {
      Lsn fence = fences.get(shard);
      if (fence == null) {
        throw new IllegalArgumentException("no fence for shard " + shard);
      }
      orders.add(require(shard).resumeBlind(gsi, fence));
    }
    join(orders);
  }

  /** No longer serves the index; its slots and rows stay as they are. */
  public synchronized void drop(GsiName gsi) {
    sweeper.leave(gsi);
    join(tails.values().stream().map(tail -> tail.drop(gsi)).toList());
    indexes.remove(gsi);
  }

  /**
   * Logs every transaction of the index's streams from now on until the result is closed. The
   * progress rows cover those applied before the call; returns when they are visible to new
   * snapshots of their shards as well, which a commit becomes a moment after the stream has it.
   */
  public synchronized Retention retain(GsiName gsi) throws SQLException, InterruptedException {
    log.retain(gsi);
    for (ShardId shard : index(gsi).ownerShards()) {
      List<Long> before = require(shard).recentXids().join();
      try (Connection owner = sessions.open(shard)) {
        Xids.awaitVisible(owner, before);
      }
    }
    return () -> log.release(gsi);
  }

  /** Ends the logging. */
  public interface Retention extends AutoCloseable {
    @Override
    void close();
  }

  /** The row changes that the shard's stream has brought to the index since this engine began. */
  public synchronized long appliedRows(GsiName gsi, ShardId shard) {
    Tail tail = tails.get(shard);
    return tail == null ? 0 : tail.appliedRows(gsi);
  }

  /**
   * Keeps the streams from the entries of an index that is served blindly, until the result is
   * ended: for settlements in {@code tailing}.
   */
  public synchronized StreamPause pause(GsiName gsi) throws SQLException {
    Map<ShardId, Tail> of = new TreeMap<>();
    index(gsi).ownerShards().forEach(shard -> of.put(shard, require(shard)));
    return StreamPause.begin(gsi, of, sessions);
  }

  /** Starts a pass over the audited index's lookup table, as after an unclean end. */
  public void sweep(GsiName gsi) {
    sweeper.request(gsi);
  }

  /** Entries that wait for another to go; duplicates come last. */
  public List<ParkedEntry> parked(LookupIndex index, int limit) {
    List<ParkedEntry> all = new ArrayList<>();
    for (ShardId lookup : index.lookupShards()) {
      park(lookup, connection -> all.addAll(Parking.of(connection, index, limit)));
    }
    all.sort(Comparator.comparing(ParkedEntry::duplicate).thenComparing(ParkedEntry::since));
    return List.copyOf(all.subList(0, Math.min(limit, all.size())));
  }

  /**
   * Parks an owner's entry that a backfill found no place for: it is inserted when the key's holder
   * goes, like one that a stream brought. Again for the same entry changes nothing.
   *
   * @param shard the owner row's shard
   * @param holder of the key's entry
   */
  public void park(LookupIndex index, ShardId shard, Entry entry, Tuple holder) {
    ParkedEntry parked =
        new ParkedEntry(entry, holder, Lsn.ZERO, Lsn.ZERO, false, shared.clock().instant());
    Parking parking = new Parking(new StreamName(database, shard), index);
    park(index.lookupShard(entry.identity()), connection -> parking.park(connection, parked));
  }

  /** Forgets what is parked, when the lookup table is to be filled anew. */
  public void unpark(LookupIndex index) {
    index
        .lookupShards()
        .forEach(lookup -> park(lookup, connection -> Parking.forget(connection, index.name())));
  }

  @Override
  public synchronized void close() {
    sweeper.close();
    tails.values().forEach(Tail::close);
    tails.clear();
  }

  private LookupIndex index(GsiName gsi) {
    LookupIndex index = indexes.get(gsi);
    if (index == null) {
      throw new IllegalStateException(gsi + " is not served");
    }
    return index;
  }

  private List<CompletableFuture<Boolean>> each(
      GsiName gsi, Function<Tail, CompletableFuture<Boolean>> order) {
    return index(gsi).ownerShards().stream().map(this::require).map(order).toList();
  }

  private Tail require(ShardId shard) {
    Tail tail = tails.get(shard);
    if (tail == null) {
      throw new IllegalStateException("no tail on shard " + shard);
    }
    return tail;
  }

  private static void join(List<CompletableFuture<Boolean>> orders) {
    try {
      CompletableFuture.allOf(orders.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ConcordException known) {
        throw known;
      }
      throw ErrorCode.STREAM_FAILED.because("a tail refused an order").withCause(e);
    }
  }

  private static ConcordException unreachable(ShardId shard, SQLException cause) {
    return ErrorCode.SHARD_UNREACHABLE
        .because("shard " + shard + " does not answer: " + cause.getMessage())
        .withCause(cause);
  }
}
