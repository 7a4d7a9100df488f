package org.pgconcord.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.doctor.Check;
import org.pgconcord.daemon.doctor.ServerChecks;
import org.pgconcord.daemon.doctor.ServerProbe;
import org.pgconcord.testkit.cluster.ShardCluster;

class DaemonLockIT {
  @Test
  void aSecondDaemonIsRefusedAndToldWhoHasTheLock() throws SQLException {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      ShardId shard = cluster.shards().get(0);
      Supplier<Connection> connections = () -> open(cluster, shard);
      try (DaemonLock first = DaemonLock.take(connections)) {
        assertThat(first.holds()).isTrue();
        assertThatThrownBy(() -> DaemonLock.take(connections))
            .isInstanceOfSatisfying(
                ConcordException.class,
                refused -> {
                  assertThat(refused.code()).isEqualTo(ErrorCode.DAEMON_ALREADY_RUNNING);
                  assertThat(refused.detail()).contains("held by pid ");
                });
      }
      DaemonLock.take(connections).close();

      try (Connection connection = cluster.asService(shard)) {
        List<Check> checks = ServerChecks.of(ServerProbe.read(shard, connection));
        assertThat(checks).allMatch(check -> check.level() == Check.Level.OK);
      }
    }
  }

  private static Connection open(ShardCluster cluster, ShardId shard) {
    try {
      return cluster.asService(shard);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
