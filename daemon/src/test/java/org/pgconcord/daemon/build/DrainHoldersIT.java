package org.pgconcord.daemon.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;

/** Whoever keeps a drain waiting is named so that a person can find and end it. */
class DrainHoldersIT {
  @Test
  void openTransactionsAreNamedWithWhatThisRoleMayKnow() throws Exception {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      ShardId shard = cluster.shards().get(0);
      try (Connection owner = cluster.asOwner(shard);
          Connection stranger = cluster.asSuperuser(shard);
          Connection idle = cluster.asOwner(shard)) {
        int pid = begin(owner, "report");
        int other = begin(stranger, "secret");
        run(idle, "SET application_name = 'without a transaction'");

        List<String> holders = DrainHolders.of(cluster::asService, List.of(shard), 0);
        assertThat(holders).hasSize(2);
        assertThat(holders.get(0))
            .startsWith("shard-a: pid " + pid + ", user ")
            .contains("application report", "state idle in transaction", "transaction open for ");
        assertThat(holders.get(1))
            .contains("pid " + other, "application secret", "state idle in transaction");
        assertThat(DrainHolders.of(cluster::asService, List.of(shard), 3_600)).isEmpty();
      }
    }
  }

  private static int begin(Connection connection, String application) throws SQLException {
    run(connection, "SET application_name = '" + application + "'");
    connection.setAutoCommit(false);
    run(connection, "SELECT 1");
    return connection.unwrap(org.postgresql.PGConnection.class).getBackendPID();
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
