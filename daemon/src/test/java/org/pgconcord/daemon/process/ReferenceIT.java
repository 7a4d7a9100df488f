package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.daemon.cli.ReferenceText;
import org.pgconcord.testkit.invariant.CopyChecker;

/** A copy that differs: found, marked, not read where it matters, repaired. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReferenceIT {
  private static final String JOIN =
      "SELECT u.name, c.name FROM users u JOIN countries c ON c.code = u.country_code";

  private SampleSystem system;
  private ShardId other;

  @BeforeAll
  void startShards() throws Exception {
    system = SampleSystem.start(200, 1);
    other = system.cluster().shards().get(1);
  }

  @AfterAll
  void stopShards() {
    system.close();
  }

  @Test
  void aDifferenceIsMarkedAndKeepsTheCopyFromJoinsUntilItIsRepaired() throws Exception {
    try (DaemonProcess daemon = system.startDaemon();
        Connection client = system.router()) {
      assertThat(rows(client, JOIN)).isPositive();
      onOther("UPDATE countries SET name = 'Atlantis' WHERE code = 'IS'");

      JsonNode report = daemon.client().post("/references/countries/verify", Map.of());

      assertThat(report.path("clean").asBoolean()).isFalse();
      JsonNode status = daemon.client().get("/references/countries/status");
      assertThat(status.path("copies").get(0).path("state").asText()).isEqualTo("unmarked");
      assertThat(status.path("copies").get(1).path("state").asText()).isEqualTo("unequal");
      assertThat(ReferenceText.status(status)).contains("shard-b: unequal", "1 different");
      assertThatThrownBy(() -> rows(client, JOIN))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("reference/copy-unequal")
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("55000");
      assertThat(rows(client, "SELECT 1 FROM countries WHERE name = 'Atlantis'")).isZero();
      execute(client, "SET pgconcord.stale_copies = allow");
      assertThat(rows(client, JOIN)).isPositive();
      execute(client, "SET pgconcord.stale_copies = refuse");
      assertThatThrownBy(() -> rows(client, JOIN)).isInstanceOf(SQLException.class);

      JsonNode listed =
          daemon.client().post("/references/countries/repair", Map.of("dry_run", true));
      assertThat(listed.path("changed").asBoolean()).isTrue();
      assertThatThrownBy(() -> rows(client, JOIN)).isInstanceOf(SQLException.class);
      JsonNode repaired = daemon.client().post("/references/countries/repair", Map.of());
      assertThat(repaired.path("copies").get(1).path("updated").asLong()).isEqualTo(1);
      assertThat(ReferenceText.repair(repaired)).contains("row (IS): different in name");

      assertThat(rows(client, JOIN)).isPositive();
      assertThat(verify(daemon)).isTrue();
    }
  }

  @Test
  void anUncleanEndIsFollowedByAVerificationOfItsOwn() throws Exception {
    long before;
    try (DaemonProcess daemon = system.startDaemon()) {
      verify(daemon);
      before = report(daemon);
      daemon.terminate(Duration.ofSeconds(30));
    }
    try (DaemonProcess daemon = system.startDaemon()) {
      assertThat(report(daemon)).as("after a clean end nothing is verified").isEqualTo(before);
      daemon.kill();
    }
    onOther("DELETE FROM countries WHERE code = 'IS'");
    try (DaemonProcess daemon = system.startDaemon();
        Connection client = system.router()) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(report(daemon)).isGreaterThan(before));
      assertThatThrownBy(() -> rows(client, JOIN)).hasMessageContaining("copy-unequal");
      daemon.client().post("/references/countries/repair", Map.of());
      assertThat(rows(client, JOIN)).isPositive();
      daemon.kill();
    }
    try (DaemonProcess daemon = system.startDaemon();
        Connection client = system.router()) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(() -> assertThat(rows(client, JOIN)).isPositive());
      assertThat(daemon.log()).contains("copies found equal table=app.public.countries");
      daemon.terminate(Duration.ofSeconds(30));
    }
  }

  /**
   * The other copy's COMMIT waits for a standby that never comes, and the daemon dies meanwhile.
   */
  @Test
  void aWriteCutBetweenItsCommitsIsFoundMarkedAndRepaired() throws Exception {
    CopyChecker checker =
        new CopyChecker(
            new TableName("public", "countries"),
            system.cluster().shards(),
            system.cluster()::asOwner);
    try (DaemonProcess daemon = system.startDaemon();
        Connection client = system.router()) {
      execute(client, "INSERT INTO countries VALUES ('ZY', 'Zyx')");
      assertThat(checker.violations(Set.of())).isEmpty();
      holdCommits("nobody");
      CompletableFuture<Void> write =
          CompletableFuture.runAsync(
              () -> {
                try {
                  execute(client, "DELETE FROM countries WHERE code = 'ZY'");
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      Awaitility.await().atMost(Duration.ofSeconds(20)).until(this::commitIsHeld);
      daemon.kill();
      assertThatThrownBy(write::join).hasCauseInstanceOf(SQLException.class);
    } finally {
      holdCommits("");
    }
    Awaitility.await().until(() -> !commitIsHeld());
    assertThat(checker.violations(Set.of())).as("the copies differ").isNotEmpty();

    try (DaemonProcess daemon = system.startDaemon();
        Connection client = system.router()) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(daemon.client().get("/references/countries/status").toString())
                      .contains("1 missing"));
      assertThatThrownBy(() -> rows(client, JOIN)).hasMessageContaining("copy-unequal");
      daemon.client().post("/references/countries/repair", Map.of());
      assertThat(checker.violations(Set.of())).isEmpty();
      assertThat(rows(client, JOIN)).isPositive();
      execute(client, "DELETE FROM countries WHERE code = 'ZY'");
      assertThat(checker.violations(Set.of())).isEmpty();
      daemon.terminate(Duration.ofSeconds(30));
    }
  }

  private void holdCommits(String standby) throws SQLException {
    try (Connection admin = system.cluster().asSuperuser(other)) {
      execute(admin, "ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'");
      execute(admin, "SELECT pg_reload_conf()");
      Awaitility.await()
          .until(
              () ->
                  rows(
                          admin,
                          "SELECT 1 FROM pg_settings WHERE name = 'synchronous_standby_names' AND"
                              + " setting = '"
                              + standby
                              + "'")
                      == 1);
    }
  }

  private boolean commitIsHeld() throws SQLException {
    try (Connection admin = system.cluster().asSuperuser(other)) {
      return rows(admin, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0;
    }
  }

  private static long report(DaemonProcess daemon) {
    return daemon.client().get("/references/countries/status").path("report").path("id").asLong();
  }

  private static boolean verify(DaemonProcess daemon) {
    return daemon.client().post("/references/countries/verify", Map.of()).path("clean").asBoolean();
  }

  private void onOther(String sql) throws SQLException {
    try (Connection owner = system.cluster().asOwner(other)) {
      execute(owner, sql);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int rows(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      int rows = 0;
      while (row.next()) {
        rows++;
      }
      return rows;
    }
  }
}
