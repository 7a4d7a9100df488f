package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/** A table that is altered after the proof needs another proof, whoever was there to see it. */
class DdlGateIT {
  private static final Duration END = Duration.ofSeconds(30);

  @Test
  void anAlterBetweenVerifyAndEnableIsRefusedEvenWhenItIsUndone() throws Exception {
    Suite suite = Suite.begin("ddl gate", 1);
    try (SampleSystem system = SampleSystem.start(500, suite.seed())) {
      ShardId home = system.cluster().shards().get(0);
      ShardId other = system.cluster().shards().get(1);
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        assertThat(gsi.build().path("report").path("clean").asBoolean()).isTrue();
        assertThat(gsi.check().path("unmet")).isEmpty();
        quietWork(system, home);
        assertThat(gsi.check().path("unmet")).isEmpty();

        alterAndBack(system, other, "users", "name");
        refuses(gsi, other + "/public.users was altered");
        gsi.verify();
        alterAndBack(system, home, "users_by_email", "tenant_id");
        daemon.terminate(END);
      }
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        gsi.awaitIdle();
        refuses(gsi, home + "/public.users_by_email was altered");
        assertThat(gsi.state()).isEqualTo("tailing");
        gsi.verify();
        daemon.terminate(END);
      }
      alterAndBack(system, home, "users", "country_code");
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        gsi.awaitIdle();
        refuses(gsi, home + "/public.users was altered");
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      }
    }
  }

  private static void refuses(Gsi gsi, String condition) {
    String detail = String.valueOf(gsi.refusedEnable().detail());
    assertThat(detail).contains(condition, "[gate/ddl-later]");
    assertThat(detail.lines().filter(line -> !line.endsWith("[gate/lag]"))).hasSize(1);
  }

  /** Writes, vacuum and analyze are no DDL. */
  private static void quietWork(SampleSystem system, ShardId shard) throws Exception {
    execute(system, shard, "UPDATE users SET name = name || '!'");
    execute(system, shard, "VACUUM (FREEZE, ANALYZE) users");
    execute(system, shard, "VACUUM (FREEZE) pg_class");
    execute(system, shard, "VACUUM (FREEZE) pg_attribute");
  }

  private static void alterAndBack(SampleSystem system, ShardId shard, String table, String column)
      throws Exception {
    execute(system, shard, "ALTER TABLE " + table + " ALTER " + column + " SET STATISTICS 200");
    execute(system, shard, "ALTER TABLE " + table + " ALTER " + column + " SET STATISTICS -1");
  }

  private static void execute(SampleSystem system, ShardId shard, String sql) throws Exception {
    try (Connection connection = system.cluster().asSuperuser(shard);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
