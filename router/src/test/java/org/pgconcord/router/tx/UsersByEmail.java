package org.pgconcord.router.tx;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
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

/** Users by email, owners on shard-a and shard-b, the lookup table on shard-a. */
public final class UsersByEmail {
  public static final ShardId A = new ShardId("shard-a");
  public static final ShardId B = new ShardId("shard-b");
  public static final String TABLE =
      "CREATE TABLE users (tenant_id bigint NOT NULL, user_id bigint NOT NULL, email text NOT NULL,"
          + " name text, PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))";

  private static final TableName USERS = new TableName("public", "users");
  private static final TableName LOOKUP = new TableName("public", "users_by_email");
  private static final TableName COUNTRIES = new TableName("public", "countries");
  private static final Gsi GSI =
      new Gsi(
          new GsiName("app", "by_email"),
          LOOKUP,
          USERS,
          List.of("email"),
          List.of("tenant_id"),
          List.of(),
          true,
          false,
          false);
  public static final LookupIndex INDEX = LookupIndex.resolve(topology(), users(), GSI);

  private UsersByEmail() {}

  /** The routing state with the index in this state. */
  public static RoutingState routing(long revision, GsiState state, long epoch) {
    return new RoutingState(
        revision,
        topology(),
        Map.of(GSI.name(), new RoutingState.GsiStatus(state, "", epoch)),
        Map.of("app", Map.of(USERS, users(), COUNTRIES, countries())));
  }

  private static Topology topology() {
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
                COUNTRIES, new Placement.Reference(List.of(A, B)),
                LOOKUP, new Placement.Lookup(GSI.name(), A)),
            List.of(GSI),
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
            new Column("email", 3, 25, "text", "default", true, true, false, false),
            new Column("name", 4, 25, "text", "default", true, false, false, false)),
        List.of(
            new UniqueKey("users_pkey", List.of("tenant_id", "user_id"), true, true),
            new UniqueKey("users_email", List.of("tenant_id", "email"), false, true)),
        'f',
        List.of("tenant_id", "user_id", "email", "name"),
        false,
        0);
  }

  private static TableSchema countries() {
    return new TableSchema(
        COUNTRIES,
        'r',
        List.of(
            new Column("code", 1, 1042, "character(2)", "default", true, true, false, false),
            new Column("name", 2, 25, "text", "default", true, false, false, false)),
        List.of(new UniqueKey("countries_pkey", List.of("code"), true, true)),
        'd',
        List.of("code"),
        false,
        0);
  }

  /** A tenant of the shard, the {@code ordinal}th from 0. */
  public static String tenantOf(ShardId shard, int ordinal) {
    int seen = 0;
    for (int tenant = 1; ; tenant++) {
      if (INDEX.shardOf(Integer.toString(tenant)).equals(shard) && seen++ == ordinal) {
        return Integer.toString(tenant);
      }
    }
  }
}
