package org.pgconcord.testkit.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Each thing that may be left on a server is found, and nothing where nothing is. */
class ResidueIT {
  private static ShardCluster cluster;

  @BeforeAll
  static void start() {
    cluster = ShardCluster.start(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Test
  void sessionsAndSlotsThatAreLeftAreNamed() throws SQLException {
    ShardId shard = cluster.shards().get(1);
    Residue residue = new Residue(cluster.shards(), cluster::asSuperuser);
    assertThat(residue.violations()).isEmpty();
    try (Connection left = cluster.asOwner(shard);
        Connection admin = cluster.asSuperuser(shard)) {
      left.setAutoCommit(false);
      run(left, "SELECT 1");
      run(admin, "SELECT pg_create_physical_replication_slot('forgotten')");
      assertThat(residue.violations())
          .hasSize(2)
          .allMatch(v -> v.invariant().equals("I9") && v.key().equals(shard.uid()))
          .anyMatch(v -> v.seen().contains("demo"))
          .anyMatch(v -> v.seen().equals("slot forgotten"));
      left.rollback();
      run(admin, "SELECT pg_drop_replication_slot('forgotten')");
    }
    assertThat(residue.violations()).isEmpty();
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
