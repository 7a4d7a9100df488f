package org.pgconcord.testkit.invariant;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/**
 * Where the rows and entries of one index are.
 *
 * @param key the indexed columns, of the same names in owner and lookup table
 * @param owned what else an entry stores of its row, the shard key first
 * @param unique false when the owned columns tell entries of one key apart
 * @param lookupLocator from the indexed values to the one shard that may have their entries, where
 *     the lookup table is sharded by all of them
 */
public record IndexUnderTest(
    TableName owner,
    TableName lookup,
    List<String> key,
    List<String> owned,
    boolean unique,
    List<ShardId> ownerShards,
    List<ShardId> lookupShards,
    Optional<ShardLocator> lookupLocator) {
  public IndexUnderTest {
    key = List.copyOf(key);
    owned = List.copyOf(owned);
    ownerShards = List.copyOf(ownerShards);
    lookupShards = List.copyOf(lookupShards);
  }

  /** One whose lookup table is on one shard. */
  public IndexUnderTest(
      TableName owner,
      TableName lookup,
      List<String> key,
      List<String> owned,
      boolean unique,
      List<ShardId> ownerShards,
      List<ShardId> lookupShards) {
    this(owner, lookup, key, owned, unique, ownerShards, lookupShards, Optional.empty());
  }

  /** The index of the seed's example, its lookup table spread over these shards as well. */
  public static IndexUnderTest shardedByEmail(List<ShardId> shards) {
    IndexUnderTest one = usersByEmail(shards);
    return new IndexUnderTest(
        one.owner,
        one.lookup,
        one.key,
        one.owned,
        true,
        shards,
        shards,
        Optional.of(SampleTopology.lookupLocator(shards)));
  }

  /** The index of the seed's example over these shards; the first holds the lookup table. */
  public static IndexUnderTest usersByEmail(List<ShardId> shards) {
    return new IndexUnderTest(
        new TableName("public", "users"),
        new TableName("public", "users_by_email"),
        List.of("email"),
        List.of("tenant_id"),
        true,
        shards,
        List.of(shards.get(0)));
  }
}
