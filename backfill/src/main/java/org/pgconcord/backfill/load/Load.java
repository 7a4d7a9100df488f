package org.pgconcord.backfill.load;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.pgconcord.backfill.BackfillOptions;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.BuildStep;
import org.pgconcord.backfill.ProgressMeter;
import org.pgconcord.backfill.Sessions;
import org.pgconcord.backfill.load.LoadClaim.Loaded;
import org.pgconcord.backfill.merge.RangePlan;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunFile;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * Merges the runs of all owner shards into the lookup table on one shard, range by range.
 *
 * <h2>Invariant</h2>
 *
 * The lookup table holds exactly the entries of the ranges that have a row in {@code
 * pgconcord.backfill} under this build, each with all its entries.
 *
 * <h2>Why it holds at every moment</h2>
 *
 * <ul>
 *   <li>A range's entries and its row commit together; a kill between any two steps leaves both or
 *       neither.
 *   <li>Ranges are disjoint in keys and together hold every key: they are cut at keys, equal keys
 *       (in the sense of the table's primary key) fall on one side, and the first and the last
 *       range are open. The cuts are durable before the first range is loaded and the runs do not
 *       change, so a resumed load has the same ranges and loads those that have no row.
 *   <li>Two loads cannot mix: each transaction locks the build's claim, and a later build takes the
 *       claim and the table's contents in one transaction, which waits for those that hold it.
 *   <li>Of several owners of a key the first in the order of runs gets the entry, whatever was
 *       interrupted before.
 * </ul>
 *
 * <p>So after the last range the table is the set of entries of all owners in their snapshots, one
 * for each key, and the transaction that ends the load says from where the streams go on.
 */
public final class Load {
  private final Sessions sessions;
  private final ShardId lookupShard;
  private final LoadClaim claim;
  private final BackfillOptions options;
  private final RangeLoad rangeLoad;

  public Load(
      LookupIndex index,
      ShardId lookupShard,
      LoadClaim claim,
      Sessions sessions,
      BackfillOptions options,
      BuildFindings findings,
      BuildStep.Hook hook) {
    this.sessions = sessions;
    this.lookupShard = lookupShard;
    this.claim = claim;
    this.options = options;
    this.rangeLoad = new RangeLoad(index, claim, sessions, findings, hook);
  }

  /** An open run, its shard, and where to count what is loaded of it. */
  public record Source(RunFile run, ShardId shard, ProgressMeter meter) {}

  /** Loads the ranges that are missing, several at a time, and returns the sum over all ranges. */
  public Loaded run(List<Source> sources, RangePlan plan, RowOrder order, Executor loaders) {
    Map<Integer, Loaded> done = loadedRanges();
    ConcurrentLinkedQueue<Integer> open =
        new ConcurrentLinkedQueue<>(
            IntStream.range(0, plan.ranges()).filter(r -> !done.containsKey(r)).boxed().toList());
    List<CompletableFuture<Void>> workers =
        IntStream.range(0, options.loaders())
            .mapToObj(
                i -> CompletableFuture.runAsync(() -> drain(open, sources, plan, order), loaders))
            .toList();
    CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).join();
    return sum(loadedRanges().values());
  }

  private Map<Integer, Loaded> loadedRanges() {
    try {
      Connection session = sessions.open(lookupShard);
      try {
        return claim.ranges(session);
      } finally {
        sessions.close(session);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  private void drain(
      ConcurrentLinkedQueue<Integer> open, List<Source> sources, RangePlan plan, RowOrder order) {
    try {
      Connection session = sessions.open(lookupShard);
      try {
        for (Integer range = open.poll(); range != null; range = open.poll()) {
          load(session, range, sources, plan, order);
        }
      } finally {
        sessions.close(session);
      }
    } catch (SQLException | IOException e) {
      open.clear();
      throw failed(e);
    } catch (RuntimeException e) {
      open.clear();
      throw e;
    }
  }

  private void load(
      Connection session, int range, List<Source> sources, RangePlan plan, RowOrder order)
      throws SQLException, IOException {
    List<RunFile> runs = sources.stream().map(Source::run).toList();
    List<ShardId> shards = sources.stream().map(Source::shard).toList();
    int buffer = options.cursorBufferBytes(runs.size());
    RangeMerge merge =
        rangeLoad.load(
            session,
            range,
            () -> new RangeMerge(plan.cursors(range, runs, order, buffer), shards, order));
    for (int run = 0; run < sources.size(); run++) {
      sources.get(run).meter().add(merge.rowsOf(run), merge.bytesOf(run));
    }
  }

  private static Loaded sum(Iterable<Loaded> ranges) {
    List<Loaded> all = new ArrayList<>();
    ranges.forEach(all::add);
    return new Loaded(
        all.stream().mapToLong(Loaded::rows).sum(),
        all.stream().mapToLong(Loaded::duplicateRows).sum());
  }

  private RuntimeException failed(Exception cause) {
    return ErrorCode.BACKFILL_FAILED
        .because("loading on shard " + lookupShard + " failed: " + cause.getMessage())
        .withCause(cause);
  }
}
