package org.pgconcord.router.analyse;

import java.util.List;

/**
 * One appearance of a sharded table in FROM, or as the target of a write.
 *
 * @param alias the name that columns are qualified with there
 * @param key its shard key
 * @param pins the values that its shard key can have in the rows that matter; empty when that is
 *     not known
 */
public record TableUse(
    DeclaredTable table, String alias, DeclaredTable.ShardKey key, List<PinnedValue> pins) {
  public TableUse {
    pins = List.copyOf(pins);
  }

  public boolean pinned() {
    return !pins.isEmpty();
  }
}
