package org.pgconcord.backfill;

/**
 * Limits of a build's use of machines.
 *
 * @param exporters reading sessions over all shards
 * @param loaders writing sessions on a lookup shard
 * @param exportRangeBytes least size of an owner table's part that becomes one run; larger tables
 *     have larger parts, so that a shard has at most {@link #MAX_RUNS} of them
 * @param sortMemoryKilobytes {@code work_mem} of a reading session
 * @param loadRangeBytes about how much goes into one target transaction
 * @param mergeBufferBytes memory of all cursors of one merge together
 */
public record BackfillOptions(
    int exporters,
    int loaders,
    long exportRangeBytes,
    int sortMemoryKilobytes,
    long loadRangeBytes,
    int mergeBufferBytes) {
  public static final int MAX_RUNS = 64;
  private static final int LEAST_CURSOR_BUFFER = 16 * 1024;
  private static final int MOST_CURSOR_BUFFER = 512 * 1024;

  public static BackfillOptions defaults() {
    return new BackfillOptions(4, 2, 64L << 20, 64 * 1024, 8L << 20, 16 << 20);
  }

  /** The share of one cursor when {@code runs} are merged. */
  public int cursorBufferBytes(int runs) {
    int share = mergeBufferBytes / Math.max(1, runs);
    return Math.max(LEAST_CURSOR_BUFFER, Math.min(MOST_CURSOR_BUFFER, share));
  }
}
