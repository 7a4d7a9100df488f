package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/** One email on two shards: listed with its rows, blocking until one of them is gone. */
class DuplicatesIT {
  private static final String TWICE = "twice@duplicates.example";

  @Test
  void duplicatesAreListedAndBlockUntilResolved() throws Exception {
    try (SampleSystem system = SampleSystem.start(2_000, 5);
        DaemonProcess daemon = system.startDaemon()) {
      long onA = tenantOn(system, 0);
      long onB = tenantOn(system, 1);
      insert(system, onA, 5_000_001);
      insert(system, onB, 5_000_002);
      Gsi gsi = new Gsi(daemon);
      JsonNode status = gsi.build();
      assertThat(status.path("conflicts").asLong()).isEqualTo(1);
      assertThat(status.path("report").path("clean").asBoolean()).isFalse();

      assertThat(gsi.refusedEnable().detail())
          .contains("1 key with several owner rows", "1 key with several owners, not resolved");
      JsonNode sample = gsi.verify().path("samples").get(0);
      assertThat(sample.path("difference").asText()).isEqualTo("duplicate");
      assertThat(sample.path("key").asText()).isEqualTo(TWICE);
      assertThat(sample.path("owners").toString())
          .contains("shard-a", "shard-b", "5000001", "5000002");
      assertThat(gsi.check().path("conflicts")).hasSize(2);
      assertThat(gsi.check().path("conflicts").toString()).contains(TWICE);

      execute(system, onA, "DELETE FROM users WHERE user_id = 5000001");
      system.checker().awaitNone(Duration.ofSeconds(30));
      JsonNode clean = gsi.verify();
      assertThat(clean.path("clean").asBoolean()).as("%s", clean).isTrue();
      assertThat(gsi.status().path("conflicts").asLong()).isZero();
      assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
    }
  }

  private static long tenantOn(SampleSystem system, int shard) {
    ShardLocator locator = SampleTopology.locator(system.cluster().shards());
    ShardId wanted = system.cluster().shards().get(shard);
    long tenant = 1;
    while (!locator.locate(Long.toString(tenant)).equals(wanted)) {
      tenant++;
    }
    return tenant;
  }

  private static void insert(SampleSystem system, long tenant, long user) throws SQLException {
    execute(
        system,
        tenant,
        "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, %d, '%s')"
            .formatted(tenant, user, TWICE));
  }

  private static void execute(SampleSystem system, long tenant, String sql) throws SQLException {
    ShardId shard = SampleTopology.locator(system.cluster().shards()).locate(Long.toString(tenant));
    try (Connection owner = system.cluster().asOwner(shard);
        Statement statement = owner.createStatement()) {
      statement.executeUpdate(sql);
    }
  }
}
