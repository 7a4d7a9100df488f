package org.pgconcord.daemon.build;

import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.GsiProgress;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/**
 * How far one GSI is on one owner shard. {@link #line} is a stable format (docs/formats.md).
 *
 * @param rows done in this phase, never more than {@code rowsEstimated}
 * @param percent 0 to 100; 100 only when the phase has ended
 * @param eta until the phase ends; null when it cannot be told
 */
public record ShardProgress(
    GsiName gsi,
    ShardId shard,
    String phase,
    long rows,
    long rowsEstimated,
    double percent,
    long rowsPerSecond,
    @Nullable Duration eta,
    long lagBytes,
    double lagSeconds,
    long walRetainedBytes) {

  /** The log line. */
  public String line() {
    return String.format(
        Locale.ROOT,
        "gsi progress gsi=%s shard=%s phase=%s rows=%d rows_estimated=%d percent=%.1f"
            + " rows_per_second=%d eta=%s lag_bytes=%d lag_seconds=%.1f wal_retained_bytes=%d",
        gsi,
        shard,
        phase,
        rows,
        rowsEstimated,
        shownPercent(),
        rowsPerSecond,
        etaText(),
        lagBytes,
        lagSeconds,
        walRetainedBytes);
  }

  /** The same as a row of the catalog. */
  GsiProgress row() {
    return new GsiProgress(
        gsi,
        shard,
        phase,
        rows,
        rowsEstimated,
        shownPercent(),
        rowsPerSecond,
        eta == null ? OptionalLong.empty() : OptionalLong.of(eta.toSeconds()),
        lagBytes,
        lagSeconds,
        walRetainedBytes);
  }

  /** {@code 90s}; {@code unknown} when it cannot be told. */
  public String etaText() {
    return eta == null ? "unknown" : eta.toSeconds() + "s";
  }

  /** One decimal, rounded down, so that 100.0 is never shown for less. */
  public double shownPercent() {
    return Math.floor(percent * 10) / 10;
  }
}
