package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/** A slot that is gone leaves a gap: nobody reads through the index until it is built anew. */
class SlotLostIT {
  private static final Duration NOTICED = Duration.ofSeconds(30);

  @Test
  void anEnabledIndexWhoseSlotWasDroppedIsLeftAndCanBeRebuilt() throws Exception {
    Suite suite = Suite.begin("slot lost", 1);
    try (SampleSystem system = SampleSystem.start(2_000, suite.seed())) {
      ShardId shard = system.cluster().shards().get(1);
      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        gsi.build();
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        daemon.terminate(Duration.ofSeconds(30));
      }
      dropSlots(system, shard);
      moveUnseen(system, shard);

      try (DaemonProcess daemon = system.startDaemon()) {
        Gsi gsi = new Gsi(daemon);
        Awaitility.await()
            .atMost(NOTICED)
            .untilAsserted(() -> assertThat(gsi.state()).isEqualTo("needs_resync"));
        JsonNode status = gsi.status();
        assertThat(status.path("reason").asText()).contains(shard.uid());
        assertThat(owners(system, "moved@example.org")).isEqualTo(1);

        gsi.awaitIdle();
        gsi.build();
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        assertThat(owners(system, "moved@example.org")).isEqualTo(1);
        stopsAndIsBuiltAgain(system, gsi, shard);
        daemon.terminate(Duration.ofSeconds(30));
      }
      system.checker().awaitNone(NOTICED);
    }
  }

  private static void stopsAndIsBuiltAgain(SampleSystem system, Gsi gsi, ShardId shard)
      throws Exception {
    assertThat(gsi.stop().path("state").asText()).isEqualTo("needs_resync");
    assertThat(count(system, shard, "pg_replication_slots")).isZero();
    assertThat(count(system, shard, "pg_publication")).isZero();
    moveUnseen(system, shard);
    gsi.build();
    assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
    assertThat(count(system, shard, "pg_replication_slots")).isEqualTo(1);
  }

  private static int count(SampleSystem system, ShardId shard, String what) throws Exception {
    try (Connection connection = system.cluster().asSuperuser(shard);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM " + what)) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void dropSlots(SampleSystem system, ShardId shard) throws Exception {
    execute(system, shard, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
  }

  /** A change that no stream will ever show. */
  private static void moveUnseen(SampleSystem system, ShardId shard) throws Exception {
    execute(
        system,
        shard,
        "UPDATE users SET email = 'moved@example.org' WHERE (tenant_id, user_id) ="
            + " (SELECT tenant_id, user_id FROM users ORDER BY 1, 2 LIMIT 1)");
  }

  private static void execute(SampleSystem system, ShardId shard, String sql) throws Exception {
    try (Connection connection = system.cluster().asSuperuser(shard);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int owners(SampleSystem system, String email) throws Exception {
    try (Connection router = system.router();
        Statement statement = router.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT tenant_id FROM users WHERE email = '" + email + "'")) {
      int count = 0;
      while (rows.next()) {
        count++;
      }
      return count;
    }
  }
}
