package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.cli.AdminClient;
import org.pgconcord.testkit.cluster.CommitHook;
import org.pgconcord.testkit.cluster.FreePort;

/** The daemon as a process: starts, is alone, ends in time, comes back after a SIGKILL. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ServeIT {
  private static final Duration END = Duration.ofSeconds(10);

  private SampleSystem system;

  @BeforeAll
  void startShards() throws Exception {
    system = SampleSystem.start(100, 1);
  }

  @AfterAll
  void stopShards() {
    system.close();
  }

  @Test
  void startsAppliesTheFileAndEndsOnSigterm() throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      JsonNode topology = daemon.client().get("/topology");
      assertThat(topology.path("revision").asLong()).isPositive();
      assertThat(topology.path("gsis").get(0).path("gsi").asText()).isEqualTo("app.by_email");
      assertThat(topology.path("gsis").get(0).path("wish").asBoolean()).isFalse();
      assertThat(daemon.status("/livez")).isEqualTo(200);
      aPlanChangesNothingAndTheHistoryHasWhatWasApplied(daemon.client());
      whoseCommitIsCutOffHearsThatItsOutcomeIsUnknown(
          () -> {
            assertThat(daemon.terminate(END)).isLessThan(END);
            return null;
          });
    }
  }

  /** A lone statement and a COMMIT, held by their shard while the router stops. */
  private void whoseCommitIsCutOffHearsThatItsOutcomeIsUnknown(Callable<?> stop) throws Exception {
    String insert =
        "INSERT INTO users (tenant_id, user_id, email) VALUES (1, %d, 'held%<d@example.com')";
    CommitHook hook = new CommitHook("held", "users");
    try (Connection one = system.router();
        Connection other = system.router();
        Statement alone = one.createStatement();
        Statement block = other.createStatement();
        Connection owner = system.cluster().asSuperuser(shardOf(alone, insert.formatted(9000)));
        Statement onShard = owner.createStatement()) {
      for (String sql : hook.create("INSERT", "true", "PERFORM pg_advisory_xact_lock_shared(7);")) {
        onShard.execute(sql);
      }
      onShard.execute("SELECT pg_advisory_lock(7)");
      block.execute("BEGIN");
      block.execute(insert.formatted(9001));
      List<CompletableFuture<SQLException>> told =
          List.of(failure(alone, insert.formatted(9002)), failure(block, "COMMIT"));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(onShard, "pg_locks WHERE locktype = 'advisory' AND NOT granted") == 2);
      stop.call();
      for (CompletableFuture<SQLException> failure : told) {
        SQLException e = failure.get(60, TimeUnit.SECONDS);
        assertThat(e.getSQLState()).isEqualTo("08007");
        assertThat(e.getMessage()).contains("tx/outcome-unknown");
      }
      onShard.execute("SELECT pg_advisory_unlock(7)");
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> count(onShard, "users WHERE user_id IN (9001, 9002)") == 2);
      for (String sql : hook.drop()) {
        onShard.execute(sql);
      }
    }
  }

  /** Where the row goes that the client inserts. */
  private ShardId shardOf(Statement client, String insert) throws SQLException {
    client.execute(insert);
    for (ShardId shard : system.cluster().shards()) {
      try (Connection session = system.cluster().asSuperuser(shard);
          Statement statement = session.createStatement()) {
        if (count(statement, "users WHERE user_id = 9000") > 0) {
          return shard;
        }
      }
    }
    throw new AssertionError("the row is on no shard");
  }

  private static CompletableFuture<SQLException> failure(Statement statement, String sql) {
    return CompletableFuture.supplyAsync(
        () -> catchThrowableOfType(SQLException.class, () -> statement.execute(sql)));
  }

  private static long count(Statement statement, String what) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT count(*) FROM " + what)) {
      row.next();
      return row.getLong(1);
    }
  }

  private void aPlanChangesNothingAndTheHistoryHasWhatWasApplied(AdminClient client)
      throws Exception {
    String file = Files.readString(system.topologyFile());
    String other = file.replace("\"ignore_null\": false", "\"ignore_null\": true");
    JsonNode before = client.get("/topology");
    JsonNode plan = client.post("/topology/plan", Map.of("document", other));
    assertThat(plan.path("applies").asBoolean()).isTrue();
    assertThat(plan.path("changes").toString()).contains("by_email.ignore_null: false -> true");
    JsonNode broken = client.post("/topology/plan", Map.of("document", "{"));
    assertThat(broken.path("applies").asBoolean()).isFalse();
    assertThat(broken.path("errors").asInt()).isOne();
    for (String part : List.of("revision", "document")) {
      assertThat(client.get("/topology").path(part)).isEqualTo(before.path(part));
    }

    client.post("/topology", Map.of("document", other, "comment", "NULL has no entry"));
    long first = before.path("document_revision").asLong();
    client.post(
        "/topology",
        Map.of("document", client.get("/topology/history/" + first).path("document").toString()));
    JsonNode history = client.get("/topology/history").path("documents");
    assertThat(history.findValuesAsText("comment")).contains("NULL has no entry");
    assertThat(history.get(0).path("changes").toString()).contains("ignore_null: true -> false");
    assertThat(history.get(1).path("changes").toString()).contains("ignore_null: false -> true");
    assertThatThrownBy(() -> client.get("/topology/history/99"))
        .hasMessageContaining("no document was applied as revision 99");
  }

  @Test
  void aSecondDaemonIsRefusedWithExit4() throws Exception {
    try (DaemonProcess first = system.startDaemon();
        DaemonProcess second =
            system.launchDaemon("--admin.listen", "127.0.0.1:" + FreePort.pick())) {
      assertThat(second.awaitExit(Duration.ofSeconds(30))).isEqualTo(4);
      assertThat(first.log()).contains("daemon/already-running");
      assertThat(first.isAlive()).isTrue();
    }
  }

  @Test
  void aTakenAddressIsFoundBeforeAnythingBegins() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      for (String setting : List.of("router.listen", "admin.listen")) {
        Path log = Files.createTempFile("pgconcord-taken-", ".log");
        try (DaemonProcess daemon =
            DaemonProcess.launch(
                system.configFile(), system.adminPort(), log, List.of("--" + setting, address))) {
          assertThat(daemon.awaitExit(Duration.ofSeconds(30))).isEqualTo(1);
          assertThat(daemon.log())
              .contains(address, "--" + setting, "config/address-taken")
              .doesNotContain("interrupted", "gsi operation", "tail serves");
        } finally {
          Files.delete(log);
        }
      }
    }
  }

  @Test
  void comesBackAfterSigkillAndKeepsToTheCatalog() throws Exception {
    try (DaemonProcess daemon = system.startDaemon()) {
      daemon.kill();
    }
    String file = Files.readString(system.topologyFile());
    Files.writeString(
        system.topologyFile(), file.replace("\"ignore_null\": false", "\"ignore_null\": true"));
    try (DaemonProcess daemon = system.startDaemon()) {
      AdminClient client = daemon.client();
      assertThat(client.get("/topology").path("document").toString())
          .contains("\"ignore_null\":false");
      assertThat(daemon.log()).contains("topology file differs from the applied one");
    } finally {
      Files.writeString(system.topologyFile(), file);
    }
  }
}
