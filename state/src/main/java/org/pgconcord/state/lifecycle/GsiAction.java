package org.pgconcord.state.lifecycle;

/** What a step asks for, in the order of the list that holds it. */
public enum GsiAction {
  /** Slots with exported snapshots on every owner shard, the publication, an empty lookup table. */
  PREPARE_SLOTS,
  /** Load the lookup table from the snapshots. */
  BACKFILL,
  /** The tails apply blindly from the progress rows on. */
  APPLY_BLINDLY,
  /** Blind writes stop and the last blind transaction has ended. Always before a publication. */
  QUIESCE_BLIND_WRITES,
  /** Emit a fence on every owner shard; blind application will replay from it. */
  EMIT_FENCES,
  /** Raise the sequence by which readers notice that the index is no longer maintained. */
  RAISE_READ_EPOCH,
  /** Compare-and-set the state in the catalog with the next epoch; routers act on it. */
  PUBLISH,
  /** Wait until every transaction begun under an older epoch has ended. */
  DRAIN,
  /** The tails settle every key that the stream shows, by locks and fresh reads. */
  AUDIT,
  /** The tails leave the index alone. */
  STOP_APPLYING,
  /** Drop slots and publication membership that no other index needs. */
  DROP_SLOTS,
  /** Tell whoever watches: a person has to act. */
  ALERT
}
