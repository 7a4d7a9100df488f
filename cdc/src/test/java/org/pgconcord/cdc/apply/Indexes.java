package org.pgconcord.cdc.apply;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.KeyRange;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.topology.ShardIndex;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.LookupIndex;

/** The index of the examples: users by email, the lookup table on shard-a, owners on a and b. */
final class Indexes {
  static final ShardId A = new ShardId("shard-a");
  static final ShardId B = new ShardId("shard-b");
  static final TableName USERS = new TableName("public", "users");
  static final TableName LOOKUP = new TableName("public", "users_by_email");

  static final String CREATE_USERS =
      "CREATE TABLE users (tenant_id bigint NOT NULL, user_id bigint NOT NULL, email text,"
          + " PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))";

  private Indexes() {}

  static LookupIndex byEmail() {
    Gsi gsi =
        new Gsi(
            new GsiName("app", "by_email"),
            LOOKUP,
            USERS,
            List.of("email"),
            List.of("tenant_id"),
            List.of(),
            true,
            true,
            false);
    return LookupIndex.resolve(topology(gsi), users(), gsi);
  }

  private static Topology topology(Gsi gsi) {
    ShardGroup meta = new ShardGroup("meta", Optional.empty(), List.of(new KeyRange(A, "", "")));
    ShardGroup data =
        new ShardGroup(
            "data",
            Optional.of("x"),
            List.of(new KeyRange(A, "", "80"), new KeyRange(B, "80", "")));
    ShardIndex index =
        new ShardIndex("x", ShardIndexType.XXHASH, List.of("tenant_id"), OptionalLong.empty());
    Topology.LogicalDatabase app =
        new Topology.LogicalDatabase(
            "app",
            Map.of(
                USERS, new Placement.Sharded(data, index),
                LOOKUP, new Placement.Lookup(gsi.name(), A)),
            List.of(gsi),
            Map.of(),
            new Placement.Unsharded(meta, A, false));
    return new Topology(meta, List.of(meta, data), List.of(index), Map.of("app", app));
  }

  private static TableSchema users() {
    return new TableSchema(
        USERS,
        'r',
        List.of(
            new Column("tenant_id", 1, 20, "bigint", null, true, true, false, false),
            new Column("user_id", 2, 20, "bigint", null, true, true, false, false),
            new Column("email", 3, 25, "text", "default", true, false, false, false)),
        List.of(
            new UniqueKey("users_pkey", List.of("tenant_id", "user_id"), true, true),
            new UniqueKey("users_email", List.of("tenant_id", "email"), false, true)),
        'f',
        List.of("tenant_id", "user_id", "email"),
        false,
        0);
  }

  /** The lowest tenants of a shard. */
  static String tenant(LookupIndex index, ShardId shard, int ordinal) {
    int seen = 0;
    for (int tenant = 1; ; tenant++) {
      if (index.shardOf(Integer.toString(tenant)).equals(shard) && seen++ == ordinal) {
        return Integer.toString(tenant);
      }
    }
  }
}
