package org.pgconcord.config.topology;

/** The function family of a shard index. */
public enum ShardIndexType {
  XXHASH,
  RANGE,
  MODULO;

  /** Lower case, as the document spells it. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
