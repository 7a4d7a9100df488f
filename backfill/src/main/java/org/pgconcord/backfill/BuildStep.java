package org.pgconcord.backfill;

/**
 * The moments of a build between which a crash differs in what is left behind. Tests end a build at
 * each of them.
 */
public enum BuildStep {
  /** The build has a name here; the target does not know it. */
  BUILD_NOTED,
  /** The target is empty and belongs to this build. */
  TARGET_CLAIMED,
  /** A shard's snapshot is imported, its ranges are noted. */
  RANGES_NOTED,
  /** A run is durable and not noted. */
  RUN_WRITTEN,
  /** A run is noted. */
  RUN_NOTED,
  /** All runs of a shard are noted and its snapshot is let go. */
  SHARD_EXPORTED,
  /** The cuts are noted. */
  CUTS_NOTED,
  /** A range is in the lookup table, not committed. */
  RANGE_COPIED,
  /** A range is committed. */
  RANGE_COMMITTED,
  /** All is committed, with the streams' start; not noted here. */
  LOAD_COMMITTED,
  /** The end is noted here; the runs are still there. */
  LOAD_NOTED;

  /** Told each step as it is reached; throwing ends the build there. */
  @FunctionalInterface
  public interface Hook {
    void reached(BuildStep step);
  }
}
