package org.pgconcord.testkit.cluster.sample;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ShardCluster;

/** The tables of the sample application, made by their owner on every shard. */
public final class SampleSchema {
  public static final TableName USERS = new TableName("public", "users");
  public static final TableName COUNTRIES = new TableName("public", "countries");

  /** As a user would write them; what a GSI asks of its owner is in the last statement. */
  public static final String DDL =
      """
      CREATE TABLE users (
          tenant_id    bigint,
          user_id      bigint,
          email        text NOT NULL,
          name         text,
          country_code char(2),
          created_at   timestamptz DEFAULT now(),
          PRIMARY KEY (tenant_id, user_id),
          UNIQUE (tenant_id, email)
      );
      CREATE TABLE countries (
          code char(2) PRIMARY KEY,
          name text
      );
      ALTER TABLE users REPLICA IDENTITY FULL;
      """;

  private SampleSchema() {}

  /** Creates both tables on every shard. */
  public static void create(ShardCluster cluster) throws SQLException {
    for (ShardId shard : cluster.shards()) {
      try (Connection owner = cluster.asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute(DDL);
      }
    }
  }
}
