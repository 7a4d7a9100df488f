package org.pgconcord.backfill;

import org.pgconcord.config.value.ShardId;

/**
 * How far one shard's part of a phase is.
 *
 * @param rowsEstimated at least {@code rows}; a guess until the phase has ended
 * @param percent 0 to 100 with respect to this phase; never falls, and is 100 only when the phase
 *     has ended for this shard
 * @param bytes of entries, as they are in the runs
 */
public record BackfillProgress(
    ShardId shard, Phase phase, long rows, long rowsEstimated, double percent, long bytes) {
  /** What is being done. */
  public enum Phase {
    /** Reading the owner shard into sorted runs. */
    EXPORT,
    /** Merging the runs into the lookup table. */
    LOAD;

    /** Lower case, as printed. */
    public String word() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Takes progress as it happens, from any thread; must not block. */
  @FunctionalInterface
  public interface Sink {
    void progress(BackfillProgress progress);
  }
}
