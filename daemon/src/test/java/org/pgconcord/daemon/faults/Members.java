package org.pgconcord.daemon.faults;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.daemon.process.Gsi;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.InvariantChecker;

/**
 * A second table beside the sample's users: its index takes every form of write, its entries answer
 * by themselves, and each of its numbers is a block of its own (so small is the sequence's range).
 */
final class Members {
  private static final String DDL =
      """
      CREATE SEQUENCE badges MAXVALUE 19999;
      CREATE TABLE members (
          tenant_id bigint,
          user_id   bigint,
          email     text NOT NULL,
          badge     bigint DEFAULT nextval('badges'),
          PRIMARY KEY (tenant_id, user_id),
          UNIQUE (tenant_id, email)
      );
      ALTER TABLE members REPLICA IDENTITY FULL;
      """;

  private Members() {}

  /** Before the first daemon. */
  static void declare(SampleSystem system) throws Exception {
    Files.writeString(
        system.topologyFile(),
        Files.readString(system.topologyFile())
            .replace(
                "\"global_secondary_indexes\": {",
                """
                "global_secondary_indexes": {
                "members_by_email": {
                  "schema": "public", "table": "members_by_email", "owner_table": "members",
                  "columns": ["email"], "owner_sk_columns": ["tenant_id"],
                  "unique": true, "ignore_null": false, "enabled": false,
                  "gsi_mode": "extended", "covering": true
                },""")
            .replace(
                "\"users_by_email\": { \"shard_group\": \"meta\" }",
                """
                "users_by_email": { "shard_group": "meta" },
                "members_by_email": { "shard_group": "meta" },
                "members": {
                  "shard_group": "tenant_data",
                  "secondary_indexes": [ { "name": "members_by_email", "columns": ["email"] } ]
                }"""));
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute(DDL);
      }
    }
  }

  static Gsi gsi(SampleSystem system) {
    return new Gsi(system.daemon(), "members_by_email");
  }

  static InvariantChecker checker(SampleSystem system) {
    List<ShardId> shards = system.cluster().shards();
    return new InvariantChecker(
        new IndexUnderTest(
            new TableName("public", "members"),
            new TableName("public", "members_by_email"),
            List.of("email"),
            List.of("tenant_id"),
            true,
            shards,
            List.of(shards.get(0))),
        system.cluster()::asService);
  }

  /**
   * Whether entries answer by themselves. Who finds one that is not as it should be takes that
   * trust away; a clean verification gives it back.
   */
  static boolean trusted(SampleSystem system, CutRig.Admins admins, boolean verify)
      throws Exception {
    if (verify && !trusted(system, admins)) {
      gsi(system).verify();
    }
    return trusted(system, admins);
  }

  private static boolean trusted(SampleSystem system, CutRig.Admins admins) throws SQLException {
    Set<Boolean> odd = new HashSet<>();
    admins.ask(
        system.cluster().shards().get(0),
        "SELECT last_value % 2 = 1 FROM pgconcord.covering_members_by_email",
        row -> odd.add(row.getBoolean(1)));
    return odd.contains(true);
  }
}
