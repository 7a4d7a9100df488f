package org.pgconcord.cdc.apply;

/** How a tail serves an index. */
public enum ServingMode {
  /** In stream order, without looking at owner rows: the engine is the sole writer. */
  BLIND,
  /** Each key by locks and fresh reads. */
  AUDIT
}
