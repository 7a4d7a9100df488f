package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.CommitHook;
import org.pgconcord.testkit.cluster.sample.SampleTopology;

/**
 * A kill in the middle of a step down, with an insert whose PRE has committed and whose MAIN has
 * not: its entry is surplus for good, in a state in which the streams write blindly and nobody
 * looks at rows. The next build settles it.
 */
class StepDownKillIT {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String HELD = "held@example.org";
  private static final CommitHook HOOK = new CommitHook("hold", "users");

  @Test
  void surplusThatAKillDuringAStepDownLeftIsSettledByTheNextBuild() throws Exception {
    Suite suite = Suite.begin("step down kill", 1);
    try (SampleSystem system = SampleSystem.start(1_000, suite.seed())) {
      ShardId shard = system.cluster().shards().get(1);
      try (Connection gate = system.cluster().asSuperuser(shard)) {
        killMidway(system, shard, gate);
        try (DaemonProcess daemon = system.startDaemon()) {
          Gsi gsi = new Gsi(daemon);
          gsi.awaitIdle();
          assertThat(gsi.state()).isEqualTo("tailing");
          release(system, shard, gate);
          isNamedAndBlocks(gsi);
          isSettledUnderWriters(system, gsi);
          system.checker().awaitNone(SOON);
          daemon.terminate(Duration.ofSeconds(30));
        }
      }
    }
  }

  private static void killMidway(SampleSystem system, ShardId shard, Connection gate)
      throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      Gsi gsi = new Gsi(daemon);
      gsi.build();
      gsi.verifyAndEnable();
      holdMain(gate);
      CompletableFuture<Void> insert = CompletableFuture.runAsync(() -> insert(system, shard));
      await().atMost(SOON).until(() -> entries(system) == 1);
      CompletableFuture<Void> disable = CompletableFuture.runAsync(() -> quietly(gsi::disable));
      await().atMost(SOON).until(() -> gsi.state().equals("write_only"));
      daemon.kill();
      insert.join();
      disable.join();
    }
  }

  /** MAIN's commit waits for the gate and then fails. */
  private static void holdMain(Connection gate) throws SQLException {
    execute(gate, "SELECT pg_advisory_lock(4711)");
    execute(
        gate,
        HOOK.create(
                "INSERT",
                "NEW.email = '" + HELD + "'",
                "PERFORM pg_advisory_lock_shared(4711); RAISE 'lost';")
            .toArray(String[]::new));
  }

  private static void release(SampleSystem system, ShardId shard, Connection gate)
      throws SQLException {
    execute(gate, "SELECT pg_advisory_unlock(4711)");
    execute(gate, HOOK.drop().toArray(String[]::new));
    assertThat(entries(system)).isEqualTo(1);
    try (Connection owner = system.cluster().asOwner(shard)) {
      assertThat(count(owner, "SELECT count(*) FROM users WHERE email = '" + HELD + "'")).isZero();
    }
  }

  private static void isNamedAndBlocks(Gsi gsi) throws Exception {
    JsonNode report = gsi.verify();
    assertThat(report.path("clean").asBoolean()).isFalse();
    assertThat(report.path("counts").path("surplus").asLong()).isEqualTo(1);
    assertThat(report.path("samples").get(0).path("key").asText()).isEqualTo(HELD);
    assertThat(gsi.refusedEnable().detail()).contains("[gate/surplus]");
  }

  private static void isSettledUnderWriters(SampleSystem system, Gsi gsi) throws Exception {
    try (Writers writers = new Writers(40_000_000).onShards(system.cluster(), 2, 7)) {
      assertThat(gsi.build().path("report").path("clean").asBoolean()).isTrue();
      assertThat(entries(system)).isZero();
      assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      writers.stop();
    }
  }

  private static void insert(SampleSystem system, ShardId shard) {
    quietly(
        () -> {
          try (Connection router = system.router()) {
            execute(
                router,
                "INSERT INTO users (tenant_id, user_id, email) VALUES ("
                    + tenantOn(system, shard)
                    + ", 900000000, '"
                    + HELD
                    + "')");
          }
        });
  }

  private static long tenantOn(SampleSystem system, ShardId shard) {
    var locator = SampleTopology.locator(system.cluster().shards());
    long tenant = 1;
    while (!locator.locate(Long.toString(tenant)).equals(shard)) {
      tenant++;
    }
    return tenant;
  }

  private static long entries(SampleSystem system) throws SQLException {
    try (Connection lookup = system.cluster().asService(system.cluster().shards().get(0))) {
      return count(lookup, "SELECT count(*) FROM users_by_email WHERE email = '" + HELD + "'");
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  /** What was under way when the daemon was killed ends in an error of one kind or another. */
  private static void quietly(Work work) {
    try {
      work.run();
    } catch (Exception | AssertionError e) {
      // The kill.
    }
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
