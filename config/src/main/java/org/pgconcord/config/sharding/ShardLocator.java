package org.pgconcord.config.sharding;

import java.util.Arrays;
import java.util.List;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.ShardId;

/**
 * Finds the shard of a key: hashes it and looks the hash up, unsigned, among the starts of the
 * group's ranges. A checked group has neither gap nor overlap, so the last start that is not above
 * the hash owns it. Immutable and safe to share.
 */
public final class ShardLocator {
  private final KeyType type;

  /** Starts in unsigned order, shifted by {@link Long#MIN_VALUE} so that signed search works. */
  private final long[] starts;

  private final List<ShardId> shards;

  /**
   * A locator for tables of this group and index whose shard key is of this type.
   *
   * @throws org.pgconcord.config.error.ConcordException for an index that is not {@code xxhash}
   *     over one column
   */
  public ShardLocator(ShardGroup group, ShardIndex index, KeyType type) {
    if (index.type() != ShardIndexType.XXHASH || index.columns().size() != 1) {
      throw ErrorCode.TOPOLOGY_INVALID.because(
          "shard index " + index.name() + " is not xxhash over one column");
    }
    this.type = type;
    this.starts =
        group.keyRanges().stream().mapToLong(r -> r.startValue() + Long.MIN_VALUE).toArray();
    this.shards = group.keyRanges().stream().map(KeyRange::shard).toList();
  }

  public KeyType type() {
    return type;
  }

  /** The shard of a key given as PostgreSQL text of the column's type. */
  public ShardId locate(String pgText) {
    return shardOf(routingValue(pgText));
  }

  /** XXH3-64 of the key's canonical form, to be read as unsigned. */
  public long routingValue(String pgText) {
    return XxHash.hash64(ShardKeyEncoder.encode(type, pgText));
  }

  /** The shard whose range holds a routing value. */
  public ShardId shardOf(long routingValue) {
    int found = Arrays.binarySearch(starts, routingValue + Long.MIN_VALUE);
    return shards.get(found >= 0 ? found : -found - 2);
  }
}
