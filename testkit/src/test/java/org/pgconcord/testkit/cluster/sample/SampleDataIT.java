package org.pgconcord.testkit.cluster.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;

final class SampleDataIT {
  private static final long ROWS = 5_000;

  @Test
  void everyRowIsOnTheShardOfItsTenantAndEveryShardHasAllCountries() throws SQLException {
    AtomicLong sent = new AtomicLong();
    try (ShardCluster cluster = ShardCluster.start(3)) {
      SampleSchema.create(cluster);
      SampleData.load(cluster, ROWS, 7, sent::addAndGet);

      ShardLocator locator = SampleTopology.locator(cluster.shards());
      long found = 0;
      for (ShardId shard : cluster.shards()) {
        try (Connection owner = cluster.asOwner(shard);
            Statement statement = owner.createStatement()) {
          assertThat(number(statement, "SELECT count(*) FROM countries")).isEqualTo(249);
          assertThat(
                  number(
                      statement,
                      "SELECT count(*) FROM users u JOIN countries c"
                          + " ON c.code = u.country_code"))
              .isEqualTo(number(statement, "SELECT count(*) FROM users"));
          found += number(statement, "SELECT count(*) FROM users");
          try (ResultSet tenants = statement.executeQuery("SELECT DISTINCT tenant_id FROM users")) {
            while (tenants.next()) {
              assertThat(locator.locate(tenants.getString(1))).isEqualTo(shard);
            }
          }
        }
      }
      assertThat(found).isEqualTo(ROWS).isEqualTo(sent.get());
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
