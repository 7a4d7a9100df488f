package org.pgconcord.testkit.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.settings.DaemonSettings.ServiceRole;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ServicePassword;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.settings.ShardConnections;
import org.pgconcord.config.settings.ShardSettings;
import org.pgconcord.testkit.cluster.Authentication;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardCluster;

final class ShardConnectionsIT {
  @Test
  void theSessionIsPinnedWhateverTheRoleHasSet() throws SQLException {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      try (Connection admin = cluster.asSuperuser(Shards.A)) {
        Shards.run(
            admin,
            "ALTER ROLE pgconcord SET DateStyle = 'German'",
            "ALTER ROLE pgconcord SET TimeZone = 'Asia/Tokyo'",
            "ALTER ROLE pgconcord SET extra_float_digits = -5",
            "ALTER ROLE pgconcord SET default_transaction_read_only = on",
            "ALTER ROLE pgconcord SET bytea_output = 'escape'");
      }
      ShardConnections connections = Shards.connections(cluster);
      for (Connection opened :
          List.of(
              connections.open(Shards.A, "app"), connections.openReplication(Shards.A, "app"))) {
        try (opened) {
          assertThat(
                  Shards.ask(
                      opened,
                      "SELECT concat_ws(' ', '2026-11-29 12:00+00'::timestamptz, 0.1::float8 + 0.2,"
                          + " '\\x41'::bytea, current_setting('default_transaction_read_only'))"))
              .isEqualTo("2026-11-29 12:00:00+00 0.30000000000000004 \\x41 off");
        }
      }
      assertThat(connections.servers().get(Shards.A))
          .satisfies(s -> assertThat(s.version() / 10_000).isBetween(15, 18));
    }
  }

  @Test
  void aReplicationConnectionTakesReplicationCommands() throws SQLException {
    try (ShardCluster cluster = ShardCluster.start(1);
        Connection replication = Shards.connections(cluster).openReplication(Shards.A, "app")) {
      String identifier = Shards.ask(replication, "IDENTIFY_SYSTEM");
      assertThat(identifier)
          .isEqualTo(Shards.ask(replication, "SELECT system_identifier FROM pg_control_system()"));
    }
  }

  @Test
  void anotherServerOrAnOlderTimelineIsRefused() throws SQLException {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      ShardConnections mistaken = Shards.connections(cluster);
      mistaken.remember(Map.of(Shards.A, new ServerIdentity(42, 1, 180_000)));
      refused(mistaken, ErrorCode.SHARD_WRONG_SERVER);
      ShardConnections connections = Shards.connections(cluster);
      Connection before = connections.open(Shards.A, "app");
      ServerIdentity seen = java.util.Objects.requireNonNull(connections.servers().get(Shards.A));
      connections.remember(
          Map.of(
              Shards.A,
              new ServerIdentity(seen.systemIdentifier(), seen.timeline() + 1, seen.version())));
      refused(connections, ErrorCode.SHARD_WRONG_SERVER);
      await().atMost(Duration.ofSeconds(30)).until(before::isClosed);
    }
  }

  @Test
  void theFirstHostThatAnswersIsTakenAndSilenceIsAnError() {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      ShardAddress nobody = new ShardAddress("127.0.0.1", 1);
      ShardAddress somebody = new ShardAddress("127.0.0.1", cluster.shard(Shards.A).port());
      ShardConnections connections = connections(List.of(nobody, somebody), Optional.empty());
      close(connections.open(Shards.A, "app"));
      assertThat(connections.primary(Shards.A)).isEqualTo(somebody);
      refused(connections(List.of(nobody), Optional.empty()), ErrorCode.SHARD_UNREACHABLE);
    }
  }

  @Test
  void aPasswordComesFromItsFileAndIsNeverShown(@TempDir Path directory) throws IOException {
    ClusterSettings settings = ClusterSettings.of(1).withAuthentication(Authentication.SCRAM);
    try (ShardCluster cluster = ShardCluster.start(settings)) {
      ShardAddress address = new ShardAddress("127.0.0.1", cluster.shard(Shards.A).port());
      Path right = directory.resolve("right");
      Path wrong = directory.resolve("wrong");
      Files.writeString(right, cluster.roles().password(ClusterRoles.SERVICE) + "\n");
      Files.writeString(wrong, "sesame-open\n");
      close(connections(List.of(address), Optional.of(right)).open(Shards.A, "app"));
      assertThatThrownBy(
              () -> connections(List.of(address), Optional.of(wrong)).open(Shards.A, "app"))
          .isInstanceOfSatisfying(
              ConcordException.class,
              e -> {
                assertThat(e + String.valueOf(e.detail())).doesNotContain("sesame-open");
                assertThat(e.hint()).contains("another password", "password_file");
              });
      assertThatThrownBy(
              () -> connections(List.of(address), Optional.of(right)).open(Shards.A, "nowhere"))
          .isInstanceOfSatisfying(
              ConcordException.class, e -> assertThat(e.hint()).contains("Create database"));
      assertThatThrownBy(
              () ->
                  connections(List.of(new ShardAddress("127.0.0.1", 1)), Optional.of(right))
                      .open(Shards.A, "app"))
          .isInstanceOfSatisfying(
              ConcordException.class, e -> assertThat(e.hint()).contains("Nothing listens"));
    }
  }

  private static ShardConnections connections(
      List<ShardAddress> hosts, Optional<Path> passwordFile) {
    ServiceRole role = new ServiceRole(ClusterRoles.SERVICE, passwordFile);
    return new ShardConnections(
        Map.of(Shards.A, new ShardSettings(hosts, "disable", Map.of())),
        role.user(),
        new ServicePassword(role, Map.of()));
  }

  private static void refused(ShardConnections connections, ErrorCode code) {
    assertThatThrownBy(() -> close(connections.open(Shards.A, "app")))
        .isInstanceOfSatisfying(ConcordException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
