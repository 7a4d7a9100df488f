package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.OldestPostgres;
import org.pgconcord.testkit.cluster.ClusterSettings;

/**
 * The life of one index with writers on it all the time, and what the gate refuses on the way: on
 * the newest PostgreSQL, on the oldest, and on one of each, where entries are hashed here because
 * servers of different versions need not hash alike.
 */
class GsiLifeIT {
  private static final Duration AUDIT = Duration.ofSeconds(30);

  @Test
  void fromDeclaredToEnabledAndBackUnderWriters() throws Exception {
    life("gsi life", ClusterSettings.of(2));
  }

  @Test
  void onTheOldestPostgres() throws Exception {
    life("gsi life oldest", ClusterSettings.of(2).withPostgres(OldestPostgres.jar()));
  }

  @Test
  @Tag("long")
  void withAnOwnerShardOfAnotherVersion() throws Exception {
    ClusterSettings two = ClusterSettings.of(2);
    ShardId owner = two.shards().get(1);
    life("gsi life mixed", two.withPostgres(owner, OldestPostgres.jar()));
  }

  /** Updates, upserts and COPY pass in every state; the tail follows them until routers do. */
  @Test
  @Tag("long")
  void anExtendedIndexUnderEveryFormOfWrite() throws Exception {
    Suite suite = Suite.begin("gsi life extended", 3);
    Random random = new Random(suite.seed());
    try (SampleSystem system = SampleSystem.start(20_000, suite.seed())) {
      Files.writeString(
          system.topologyFile(),
          Files.readString(system.topologyFile())
              .replace("\"unique\": true,", "\"unique\": true, \"gsi_mode\": \"extended\","));
      DaemonProcess daemon = system.startDaemon();
      try (SampleSystem.RouterAlone beside = system.startRouter();
          Writers writers =
              new Writers(10_000_000)
                  .byEveryForm(beside::connect, 3, suite.seed())
                  .onShards(system.cluster(), 1, suite.seed())) {
        Gsi gsi = new Gsi(daemon);
        gsi.startBuild();
        for (int kill = 0; kill < suite.count(); kill++) {
          Gsi begun = gsi;
          await().atMost(Duration.ofMinutes(2)).until(() -> !begun.state().equals("declared"));
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1_500)));
          daemon.kill();
          daemon = system.startDaemon();
          gsi = new Gsi(daemon);
        }
        gsi.awaitIdle();
        for (int life = 0; life < suite.count(); life++) {
          assertThat(gsi.build().path("state").asText()).isEqualTo("tailing");
          passes(writers);
          assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
          passes(writers);
          assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
          assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
          passes(writers);
        }
        gsi.build();
        gsi.verifyAndEnable();
        writers.stop();
        system.checker().awaitNone(AUDIT);
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        System.out.printf(
            "gsi life extended seed=%d kills=%d lives=%d changes=%d reads=%d violations=0%n",
            suite.seed(), suite.count(), suite.count(), writers.changes(), writers.reads());
      }
    }
  }

  private static void passes(Writers writers) {
    long before = writers.changes();
    await().atMost(Duration.ofMinutes(1)).until(() -> writers.changes() > before + 200);
  }

  private static void life(String name, ClusterSettings settings) throws Exception {
    Suite suite = Suite.begin(name, 1);
    try (SampleSystem system = SampleSystem.start(settings, 5_000, suite.seed());
        DaemonProcess daemon = system.startDaemon()) {
      Gsi gsi = new Gsi(daemon);
      refusesWhatIsNotBuilt(gsi);
      try (Writers writers =
          new Writers(10_000_000)
              .throughRouter(system, 2, suite.seed())
              .onShards(system.cluster(), 2, suite.seed())) {
        JsonNode status = gsi.build();
        assertThat(status.path("state").asText()).isEqualTo("tailing");
        assertThat(status.path("report").path("clean").asBoolean()).isTrue();
        assertThat(status.path("shards")).hasSize(2);
        showsItsProgressInTheCatalog(system);
        assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
        assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
        writers.stop();
        MetricsPage.check(daemon.text("/metrics"));
        assertThat(writers.changes()).isPositive();
        assertThat(writers.reads()).isPositive();
      }
      system.checker().awaitNone(AUDIT);
      readsThroughTheIndex(system);
      repairsDirectWrites(system);
      assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
      try (Writers writers = new Writers(20_000_000).onShards(system.cluster(), 2, suite.seed())) {
        system.checker().ownerRows();
        writers.stop();
      }
      system.checker().awaitNone(AUDIT);
      assertThat(gsi.verify().path("clean").asBoolean()).isTrue();
      assertThat(daemon.terminate(Duration.ofSeconds(10))).isLessThan(Duration.ofSeconds(10));
    }
  }

  private static void refusesWhatIsNotBuilt(Gsi gsi) {
    ConcordException refused = gsi.refusedEnable();
    assertThat(refused.detail())
        .contains("the index is declared", "there is no verification report");
    assertThat(gsi.check().path("ready").asBoolean()).isFalse();
    assertThat(gsi.state()).isEqualTo("declared");
  }

  private static void showsItsProgressInTheCatalog(SampleSystem system) {
    List<String> ended =
        system.cluster().shards().stream().map(shard -> shard + " verify 100").toList();
    await().atMost(AUDIT).untilAsserted(() -> assertThat(progress(system)).isEqualTo(ended));
  }

  private static List<String> progress(SampleSystem system) throws Exception {
    ShardId home = system.cluster().shards().get(0);
    List<String> rows = new ArrayList<>();
    try (Connection connection = system.cluster().asService(home);
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT concat_ws(' ', shard, phase, percent) FROM pgconcord.gsi_progress"
                    + " WHERE gsi = 'app.by_email' ORDER BY shard")) {
      while (row.next()) {
        rows.add(row.getString(1));
      }
    }
    return rows;
  }

  private static void readsThroughTheIndex(SampleSystem system) throws Exception {
    try (Connection router = system.router();
        Statement statement = router.createStatement();
        ResultSet plan =
            statement.executeQuery("EXPLAIN (ROUTER) SELECT * FROM users WHERE email = 'x'")) {
      StringBuilder text = new StringBuilder();
      while (plan.next()) {
        text.append(plan.getString(1)).append('\n');
      }
      assertThat(text).contains("users_by_email");
    }
  }

  private static void repairsDirectWrites(SampleSystem system) throws Exception {
    try (Writers writers = new Writers(30_000_000).onShards(system.cluster(), 1, 3)) {
      while (writers.changes() < 50) {
        LockSupport.parkNanos(1_000_000);
      }
      writers.stop();
    }
    system.checker().awaitNone(AUDIT);
  }
}
