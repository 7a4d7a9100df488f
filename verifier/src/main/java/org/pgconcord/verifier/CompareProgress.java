package org.pgconcord.verifier;

import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** Takes how far a verification is, as it happens, from any thread; must not block. */
@FunctionalInterface
public interface CompareProgress {
  /**
   * @param rows of the shard's owner table that have been summed
   * @param estimated how many there are, about
   */
  void compared(GsiName gsi, ShardId shard, long rows, long estimated);

  /** For nobody to see. */
  static CompareProgress none() {
    return (gsi, shard, rows, estimated) -> {};
  }
}
