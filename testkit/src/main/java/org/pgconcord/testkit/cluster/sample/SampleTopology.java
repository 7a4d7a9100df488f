package org.pgconcord.testkit.cluster.sample;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.value.ShardId;

/**
 * The sample's topology over any number of shards: the hash space in equal parts, the first shard
 * authoritative. For two shards it says what docs/examples/app.json says.
 */
public final class SampleTopology {
  private static final BigInteger HASH_SPACE = BigInteger.ONE.shiftLeft(64);

  private SampleTopology() {}

  /** The document, ready to be applied. */
  public static String document(List<ShardId> shards) {
    return """
        {
          "authoritative_shard_group": "meta",
          "shard_indexes": {
            "xxhash_tenant_id": { "type": "xxhash", "columns": ["tenant_id"] }
          },
          "shard_groups": [
            { "uid": "meta", "key_ranges": [ { "shard_uid": "%s" } ] },
            {
              "uid": "tenant_data",
              "default_shard_index": "xxhash_tenant_id",
              "key_ranges": [
        %s
              ]
            }
          ],
          "databases": {
            "app": {
              "global_secondary_indexes": {
                "by_email": {
                  "schema": "public",
                  "table": "users_by_email",
                  "owner_table": "users",
                  "columns": ["email"],
                  "owner_sk_columns": ["tenant_id"],
                  "unique": true,
                  "ignore_null": false,
                  "enabled": false
                }
              },
              "schemas": {
                "public": {
                  "tables": {
                    "users": {
                      "shard_group": "tenant_data",
                      "secondary_indexes": [ { "name": "by_email", "columns": ["email"] } ]
                    },
                    "users_by_email": { "shard_group": "meta" }
                  },
                  "reference_tables": {
                    "countries": { "shard_groups": ["tenant_data"] }
                  }
                }
              }
            }
          }
        }
        """
        .formatted(shards.get(0), String.join(",\n", rangeTexts(shards)));
  }

  /** Where the rows of a tenant belong under {@link #document}. */
  public static ShardLocator locator(List<ShardId> shards) {
    ShardIndex index =
        new ShardIndex(
            "xxhash_tenant_id", ShardIndexType.XXHASH, List.of("tenant_id"), OptionalLong.empty());
    ShardGroup group = new ShardGroup("tenant_data", Optional.of(index.name()), ranges(shards));
    return new ShardLocator(group, index, KeyType.INT);
  }

  /**
   * A document of {@link #document}'s with the lookup table over all shards: each entry on the
   * shard of its email's hash, wherever its row is.
   */
  public static String withShardedLookup(String document) {
    return document
        .replace(
            "\"shard_indexes\": {",
            "\"shard_indexes\": {\n    \"xxhash_email\":"
                + " { \"type\": \"xxhash\", \"columns\": [\"email\"] },")
        .replace(
            "\"users_by_email\": { \"shard_group\": \"meta\" }",
            "\"users_by_email\":"
                + " { \"shard_group\": \"tenant_data\", \"shard_index\": \"xxhash_email\" }");
  }

  /** Where the entry of an email belongs under {@link #withShardedLookup}. */
  public static ShardLocator lookupLocator(List<ShardId> shards) {
    ShardIndex index =
        new ShardIndex(
            "xxhash_email", ShardIndexType.XXHASH, List.of("email"), OptionalLong.empty());
    ShardGroup group = new ShardGroup("tenant_data", Optional.of(index.name()), ranges(shards));
    return new ShardLocator(group, index, KeyType.TEXT);
  }

  static List<KeyRange> ranges(List<ShardId> shards) {
    List<KeyRange> ranges = new ArrayList<>();
    for (int i = 0; i < shards.size(); i++) {
      ranges.add(new KeyRange(shards.get(i), bound(i, shards.size()), bound(i + 1, shards.size())));
    }
    return ranges;
  }

  /**
   * The bound {@code part * 2^64 / parts} as a hex prefix in whole bytes, as short as it can be;
   * empty at both ends of the space.
   */
  static String bound(int part, int parts) {
    if (part == 0 || part == parts) {
      return "";
    }
    BigInteger value =
        HASH_SPACE.multiply(BigInteger.valueOf(part)).divide(BigInteger.valueOf(parts));
    return String.format("%016x", value).replaceFirst("(00)+$", "");
  }

  private static List<String> rangeTexts(List<ShardId> shards) {
    return ranges(shards).stream().map(SampleTopology::rangeText).toList();
  }

  private static String rangeText(KeyRange range) {
    String start = range.start().isEmpty() ? "" : ", \"start\": \"" + range.start() + "\"";
    String end = range.end().isEmpty() ? "" : ", \"end\": \"" + range.end() + "\"";
    return "        { \"shard_uid\": \"" + range.shard() + "\"" + start + end + " }";
  }
}
