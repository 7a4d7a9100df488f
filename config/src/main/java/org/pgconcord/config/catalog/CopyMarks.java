package org.pgconcord.config.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgconcord.config.value.ShardId;

/**
 * Which copies of reference tables may differ from their leader. A leader is never marked.
 *
 * @param version raised by each change of a mark, in the line of the catalog's other changes
 * @param reasons table -> shard of a marked copy -> why
 */
public record CopyMarks(long version, Map<CopiedTable, Map<ShardId, String>> reasons) {
  public static final CopyMarks NONE = new CopyMarks(0, Map.of());

  public CopyMarks {
    Map<CopiedTable, Map<ShardId, String>> copy = new HashMap<>();
    reasons.forEach((table, shards) -> copy.put(table, Map.copyOf(shards)));
    reasons = Map.copyOf(copy);
  }

  /** The shards whose copies of the table are marked. */
  public Set<ShardId> of(CopiedTable table) {
    return reasons.getOrDefault(table, Map.of()).keySet();
  }

  /** These and more; the version stays, for nothing of it is stored. */
  public CopyMarks with(CopiedTable table, Collection<ShardId> shards, String reason) {
    Map<CopiedTable, Map<ShardId, String>> more = new HashMap<>(reasons);
    Map<ShardId, String> marked = new TreeMap<>(more.getOrDefault(table, Map.of()));
    shards.forEach(shard -> marked.putIfAbsent(shard, reason));
    more.put(table, marked);
    return new CopyMarks(version, more);
  }
}
