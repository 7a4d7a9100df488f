package org.pgconcord.config.topology;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;

/**
 * A named layout of key ranges over shards.
 *
 * @param defaultShardIndex the index of tables that name none; empty for an unsharded group
 * @param keyRanges in the order of their bounds, without gap or overlap
 */
public record ShardGroup(String uid, Optional<String> defaultShardIndex, List<KeyRange> keyRanges) {
  public ShardGroup {
    keyRanges = List.copyOf(keyRanges);
  }

  /** The distinct shards of the group, sorted. */
  public List<ShardId> shards() {
    return keyRanges.stream().map(KeyRange::shard).distinct().sorted().toList();
  }
}
