package org.pgconcord.backfill;

import org.pgconcord.backfill.BackfillProgress.Phase;
import org.pgconcord.config.value.ShardId;

/**
 * Counts one shard's part of a phase and reports it. The row estimate may be wrong either way, so
 * the percentage is held below 100 until {@link #end} and never falls. Any thread may call it.
 */
public final class ProgressMeter {
  private static final double BEFORE_END = 99.9;

  private final ShardId shard;
  private final Phase phase;
  private final BackfillProgress.Sink sink;
  private long estimate;
  private long rows;
  private long bytes;
  private double percent;

  public ProgressMeter(ShardId shard, Phase phase, long rowsEstimated, BackfillProgress.Sink sink) {
    this.shard = shard;
    this.phase = phase;
    this.estimate = Math.max(1, rowsEstimated);
    this.sink = sink;
  }

  public synchronized void add(long moreRows, long moreBytes) {
    rows += moreRows;
    bytes += moreBytes;
    estimate = Math.max(estimate, rows);
    percent = Math.max(percent, Math.min(BEFORE_END, 100.0 * rows / estimate));
    report();
  }

  /** Replaces the estimate by a better one. */
  public synchronized void estimate(long rowsEstimated) {
    estimate = Math.max(rows, rowsEstimated);
  }

  /** The phase has ended for this shard: what was counted is all there was. */
  public synchronized void end() {
    estimate = rows;
    percent = 100.0;
    report();
  }

  private void report() {
    sink.progress(new BackfillProgress(shard, phase, rows, estimate, percent, bytes));
  }
}
