package org.pgconcord.testkit.invariant;

import java.util.List;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * Where the rows and entries of one index are.
 *
 * @param key the indexed columns, of the same names in owner and lookup table
 * @param owned what else an entry stores of its row, the shard key first
 * @param unique false when the owned columns tell entries of one key apart
 */
public record IndexUnderTest(
    TableName owner,
    TableName lookup,
    List<String> key,
    List<String> owned,
    boolean unique,
    List<ShardId> ownerShards,
    List<ShardId> lookupShards) {
  public IndexUnderTest {
    key = List.copyOf(key);
    owned = List.copyOf(owned);
    ownerShards = List.copyOf(ownerShards);
    lookupShards = List.copyOf(lookupShards);
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
