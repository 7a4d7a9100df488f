package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;

/** A covering index from its build over a direct write to trust again, under writers. */
class CoveringLifeIT {
  private static final String READ = "SELECT tenant_id FROM users WHERE email = '%s'";

  @Test
  @Tag("long")
  void aDirectWriteTakesTrustAwayUntilAVerificationIsClean() throws Exception {
    Suite suite = Suite.begin("covering life", 1);
    try (SampleSystem system = SampleSystem.start(1_000, suite.seed())) {
      ShardId home = system.cluster().shards().get(0);
      Files.writeString(
          system.topologyFile(),
          Files.readString(system.topologyFile())
              .replace("\"unique\": true,", "\"unique\": true, \"covering\": true,"));
      asService(
          system,
          home,
          "CREATE TABLE users_by_email (email text PRIMARY KEY, tenant_id bigint NOT NULL)");
      try (DaemonProcess daemon = system.startDaemon();
          Writers writers = new Writers(10_000_000).throughRouter(system, 2, suite.seed())) {
        Gsi gsi = new Gsi(daemon);
        gsi.build();
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        if (!trusted(system, home)) {
          assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        }
        assertThat(trusted(system, home)).isTrue();

        ShardId other = system.cluster().shards().get(1);
        String email = one(system, other, "SELECT min(email) FROM users WHERE user_id < 1000");
        try (Connection router = system.router()) {
          assertThat(text(router, READ.formatted(email))).isNotEmpty();
          assertThat(text(router, "EXPLAIN (ROUTER) " + READ.formatted(email))).isNotEmpty();
          asSuperuser(system, other, "DELETE FROM users WHERE email = '" + email + "'");
          await()
              .atMost(Duration.ofSeconds(20))
              .untilAsserted(() -> assertThat(trusted(system, home)).isFalse());
          assertThat(text(router, READ.formatted(email))).isEmpty();
        }
        long before = writers.reads();
        while (writers.reads() < before + 50) {
          LockSupport.parkNanos(1_000_000);
        }
        writers.stop();
        system.checker().awaitNone(Duration.ofSeconds(20));
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        assertThat(trusted(system, home)).isTrue();
        asService(system, home, "UPDATE users_by_email SET pgconcord_pending = 'dead'");
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        assertThat(
                one(
                    system,
                    home,
                    "SELECT count(*) FROM users_by_email WHERE pgconcord_pending IS NULL"))
            .isNotEqualTo("0");
      }
    }
  }

  @Test
  void anIndexBecomesCovering() throws Exception {
    Suite suite = Suite.begin("index becomes covering", 1);
    try (SampleSystem system = SampleSystem.start(200, suite.seed());
        DaemonProcess daemon = system.startDaemon()) {
      ShardId home = system.cluster().shards().get(0);
      Gsi gsi = new Gsi(daemon);
      gsi.build();
      gsi.verifyAndEnable();
      String covering =
          Files.readString(system.topologyFile())
              .replace("\"unique\": true,", "\"unique\": true, \"covering\": true,");
      daemon
          .client()
          .post("/topology", Map.of("document", covering, "disable_gsi", List.of("by_email")));
      gsi.build();
      assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      if (!trusted(system, home)) {
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
      }
      assertThat(trusted(system, home)).isTrue();
      String email = one(system, home, "SELECT min(email) FROM users");
      try (Connection router = system.router()) {
        assertThat(text(router, READ.formatted(email))).isNotEmpty();
      }
    }
  }

  private static boolean trusted(SampleSystem system, ShardId home) throws SQLException {
    return one(system, home, "SELECT last_value % 2 FROM pgconcord.covering_by_email").equals("1");
  }

  private static String one(SampleSystem system, ShardId shard, String sql) throws SQLException {
    try (Connection connection = system.cluster().asSuperuser(shard)) {
      return text(connection, sql);
    }
  }

  /** The first column of the first row; empty without row. */
  private static String text(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    }
  }

  private static void asService(SampleSystem system, ShardId shard, String sql)
      throws SQLException {
    try (Connection connection = system.cluster().asService(shard);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void asSuperuser(SampleSystem system, ShardId shard, String sql)
      throws SQLException {
    try (Connection connection = system.cluster().asSuperuser(shard);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
