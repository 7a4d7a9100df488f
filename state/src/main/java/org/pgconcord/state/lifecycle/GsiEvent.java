package org.pgconcord.state.lifecycle;

/** What can happen to a global secondary index. */
public enum GsiEvent {
  /** A person or a topology's wish asks for the index to be built, or built again. */
  BUILD,
  /** Every owner shard's rows at its slot's consistent point are in the lookup table. */
  FILLED,
  /** A clean and fresh report from {@code tailing}: routers may start to maintain entries. */
  PROVEN,
  /** A clean and fresh report from {@code write_only}, nothing open: routers may read. */
  PROVEN_AGAIN,
  /** One step down: a person disables the index. */
  STEP_DOWN,
  /** Disable and let slots and publication go. */
  STOP,
  /** An owner shard was truncated. */
  TRUNCATED,
  /** A pinned column or the lookup table's key is no longer what the index was built for. */
  DEFINITION_CHANGED,
  /** A change could not be read or written exactly; a person has to look. */
  UNREADABLE,
  /** A slot is gone or has lost its log. */
  STREAM_LOST,
  /** The lookup shard's server is not the one that it was (another timeline). */
  LOOKUP_CHANGED
}
