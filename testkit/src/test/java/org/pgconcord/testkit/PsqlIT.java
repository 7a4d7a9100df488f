package org.pgconcord.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ShardCluster;

final class PsqlIT {
  @Test
  void psqlTalksToAShard() {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      int port = cluster.shard(cluster.shards().get(0)).port();
      Psql psql = new Psql(port, ClusterRoles.OWNER, ShardCluster.DATABASE, "");
      assertThat(psql.run("SELECT 1, 'é'")).isEqualTo(new ToolRun(0, "1|é\n", ""));
      assertThat(psql.script("\\echo hi\n").output()).isEqualTo("hi\n");
      assertThat(psql.run("SELECT 1/0").exitCode()).isNotZero();
    }
  }
}
