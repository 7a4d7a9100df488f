package org.pgconcord.daemon.build;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/**
 * Turns the counts of one shard's work into progress that never runs backwards: within a phase
 * percent only grows, stays below 100 while the phase lasts, and the estimate grows when the rows
 * pass it. Rates are over a window of {@value #WINDOW_SECONDS} s. Not thread-safe; time comes with
 * each call.
 */
final class ProgressMeter {
  private static final int WINDOW_SECONDS = 10;
  private static final double OPEN_PERCENT_MAX = 99.9;

  private final GsiName gsi;
  private final ShardId shard;
  private final Deque<Sample> window = new ArrayDeque<>();

  private String phase = "waiting";
  private long rows;
  private long rowsEstimated;
  private double percent;
  private boolean ended;

  private record Sample(long nanos, long rows) {}

  ProgressMeter(GsiName gsi, ShardId shard) {
    this.gsi = gsi;
    this.shard = shard;
  }

  /** Starts a phase, be it one that has been before. */
  void begin(String name) {
    phase = name;
    rows = 0;
    rowsEstimated = 0;
    percent = 0;
    ended = false;
    window.clear();
  }

  /** Starts a phase unless it is the present one; its estimate is corrected. */
  void phase(String name, long estimate) {
    if (!phase.equals(name)) {
      begin(name);
    }
    rowsEstimated = Math.max(estimate, rows);
  }

  /** {@code total} rows of this phase are done; a lower total than before is ignored. */
  void rows(long total, long nowNanos) {
    rows = Math.max(rows, total);
    rowsEstimated = Math.max(rowsEstimated, rows);
    if (!ended && rowsEstimated > 0) {
      percent = Math.max(percent, Math.min(OPEN_PERCENT_MAX, 100.0 * rows / rowsEstimated));
    }
    window.addLast(new Sample(nowNanos, rows));
    while (window.size() > 2 && older(window.getFirst(), nowNanos)) {
      window.removeFirst();
    }
  }

  /** The phase is complete. */
  void end() {
    ended = true;
    percent = 100;
    rowsEstimated = rows;
  }

  ShardProgress now(long lagBytes, double lagSeconds, long walRetainedBytes) {
    long rate = rate();
    return new ShardProgress(
        gsi,
        shard,
        phase,
        rows,
        rowsEstimated,
        percent,
        rate,
        eta(rate),
        lagBytes,
        lagSeconds,
        walRetainedBytes);
  }

  private @Nullable Duration eta(long rate) {
    if (ended) {
      return Duration.ZERO;
    }
    return rate == 0 ? null : Duration.ofSeconds((rowsEstimated - rows + rate - 1) / rate);
  }

  private long rate() {
    if (window.size() < 2) {
      return 0;
    }
    Sample first = window.getFirst();
    Sample last = window.getLast();
    long nanos = last.nanos() - first.nanos();
    return nanos <= 0 ? 0 : Math.round((last.rows() - first.rows()) * 1e9 / nanos);
  }

  private static boolean older(Sample sample, long nowNanos) {
    return nowNanos - sample.nanos() > WINDOW_SECONDS * 1_000_000_000L;
  }
}
