package org.pgconcord.testkit.invariant;

import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Where the rows and entries of one unique index are.
 *
 * @param key the indexed column, of the same name in owner and lookup table
 * @param shardKey the owner's shard key, of the same name in both
 */
public record IndexUnderTest(
    TableName owner,
    TableName lookup,
    String key,
    String shardKey,
    List<ShardId> ownerShards,
    ShardId lookupShard) {
  public IndexUnderTest {
    ownerShards = List.copyOf(ownerShards);
  }

  /** The index of the seed's example over these shards; the first holds the lookup table. */
  public static IndexUnderTest usersByEmail(List<ShardId> shards) {
    return new IndexUnderTest(
        new TableName("public", "users"),
        new TableName("public", "users_by_email"),
        "email",
        "tenant_id",
        shards,
        shards.get(0));
  }
}
