package org.pgconcord.daemon.build;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.pgconcord.backfill.Backfill;
import org.pgconcord.backfill.BackfillProgress;
import org.pgconcord.backfill.BackfillResult;
import org.pgconcord.backfill.OwnerSnapshot;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.cdc.slot.HeldSnapshot;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fills one index's lookup table: slots with their snapshots, and the backfill that reads them.
 * What it holds is lost with the process; what the backfill has stored is not, so a later run goes
 * on from there, with a new snapshot for each shard that still needs one. Used by the index's own
 * thread alone, but for {@link #stop}.
 */
final class Filling implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Filling.class);
  private static final int SNAPSHOT_ATTEMPTS = 5;

  private final GsiName gsi;
  private final EngineServices services;
  private final Predicate<ShardId> shared;
  private final Map<ShardId, HeldSnapshot> snapshots = new TreeMap<>();
  private volatile Optional<Backfill> running = Optional.empty();

  /**
   * @param shared whether another index is served from the shard's slot
   */
  Filling(GsiName gsi, EngineServices services, Predicate<ShardId> shared) {
    this.gsi = gsi;
    this.services = services;
    this.shared = shared;
  }

  /** Nothing of an earlier backfill counts any more. */
  void forget(LookupIndex index) {
    new Backfill(index, services.backfill(index), progress -> {}).forget();
  }

  /** A slot and a snapshot at its beginning on each owner shard. */
  void makeSlots(LookupIndex index) throws SQLException {
    releaseSnapshots();
    services.tails().reserve(index);
    for (ShardId shard : index.ownerShards()) {
      makeSlot(shard);
    }
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
    snapshots.put(shard, services.sharedSlots().snapshot(gsi, stream(shard), shared.test(shard)));
    services.board().end(gsi, shard);
  }

  /** Reads the owners' rows and loads their entries. */
  void run(LookupIndex index) throws SQLException {
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

  private StreamName stream(ShardId shard) {
    return new StreamName(gsi.database(), shard);
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
