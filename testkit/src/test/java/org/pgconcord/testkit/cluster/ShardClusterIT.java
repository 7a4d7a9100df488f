package org.pgconcord.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.OldestPostgres;

final class ShardClusterIT {
  private static final ShardId A = new ShardId("shard-a");

  @Test
  void twoShardsHaveTheRolesAndNothingIsLeftBehind() throws SQLException {
    Path directory;
    LinuxProcess postmaster;
    try (ShardCluster cluster = ShardCluster.start(2)) {
      directory = cluster.directory();
      postmaster = LinuxProcess.find(cluster.shard(A).pid()).orElseThrow();
      assertThat(cluster.shards()).extracting(ShardId::uid).containsExactly("shard-a", "shard-b");
      try (Connection service = cluster.asService(A)) {
        assertThat(ask(service, "SHOW wal_level")).isEqualTo("logical");
        assertThat(ask(service, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"))
            .isEqualTo("f");
        assertThat(ask(service, "SELECT pg_has_role(current_user, 'demo', 'member')"))
            .isEqualTo("t");
      }
      try (Connection owner = cluster.asOwner(A)) {
        run(owner, "CREATE TABLE t (id int PRIMARY KEY)");
      }
      assertThat(identifier(cluster, "shard-a")).isNotEqualTo(identifier(cluster, "shard-b"));
    }
    assertThat(postmaster.alive()).isFalse();
    assertThat(directory).doesNotExist();
  }

  @Test
  void aKilledShardComesBackOnItsPortWithWhatWasCommitted() throws SQLException {
    try (ShardCluster cluster = ShardCluster.start(1)) {
      ShardProcess shard = cluster.shard(A);
      int port = shard.port();
      try (Connection owner = cluster.asOwner(A)) {
        run(owner, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)");
        shard.kill();
        assertThatThrownBy(() -> run(owner, "SELECT 1")).isInstanceOf(SQLException.class);
      }
      assertThat(shard.isRunning()).isFalse();

      shard.start();

      assertThat(shard.port()).isEqualTo(port);
      try (Connection owner = cluster.asOwner(A)) {
        assertThat(ask(owner, "SELECT count(*) FROM t")).isEqualTo("2");
      }
      shard.stop();
      shard.start();
      try (Connection owner = cluster.asOwner(A)) {
        assertThat(ask(owner, "SELECT count(*) FROM t")).isEqualTo("2");
      }
    }
  }

  @Test
  void underScramARoleHasOneVerifierOnAllShards() throws SQLException {
    ClusterSettings settings = ClusterSettings.of(2).withAuthentication(Authentication.SCRAM);
    try (ShardCluster cluster = ShardCluster.start(settings)) {
      String verifier = "SELECT rolpassword FROM pg_authid WHERE rolname = 'demo'";
      try (Connection a = cluster.asSuperuser(A);
          Connection b = cluster.asSuperuser(new ShardId("shard-b"))) {
        assertThat(ask(a, verifier)).startsWith("SCRAM-SHA-256$").isEqualTo(ask(b, verifier));
      }
      try (Connection service = cluster.asService(new ShardId("shard-b"))) {
        assertThat(ask(service, "SELECT current_user")).isEqualTo("pgconcord");
      }
    }
  }

  @Test
  void aShardMayRunAnotherVersionThanTheRest() throws SQLException {
    ShardId b = new ShardId("shard-b");
    ClusterSettings settings = ClusterSettings.of(2).withPostgres(b, OldestPostgres.jar());
    try (ShardCluster cluster = ShardCluster.start(settings);
        Connection newer = cluster.asOwner(A);
        Connection oldest = cluster.asOwner(b)) {
      assertThat(oldest.getMetaData().getDatabaseMajorVersion()).isEqualTo(15);
      assertThat(newer.getMetaData().getDatabaseMajorVersion())
          .isEqualTo(EmbeddedBinaries.unpack().major());
    }
  }

  @Test
  void eachWayToRunAsRootWorksWhereTheSystemAllowsIt() throws SQLException {
    for (Unprivileged way : Unprivileged.values()) {
      boolean fits = (way == Unprivileged.AS_IS) != Unprivileged.isRoot();
      if (!fits || !way.works()) {
        continue;
      }
      try (ShardCluster cluster = ShardCluster.start(ClusterSettings.of(1).withUnprivileged(way));
          Connection owner = cluster.asOwner(A)) {
        assertThat(ask(owner, "SELECT 1")).as(way.name()).isEqualTo("1");
      }
    }
  }

  @Test
  void aDirectoryOfAnotherClusterOrOfSomebodyElseIsRefused(@TempDir Path temporary)
      throws Exception {
    openToOthers(temporary);
    Path directory = temporary.resolve("shards");
    ClusterSettings settings = ClusterSettings.of(1).withDirectory(directory);
    try (ShardCluster cluster = ShardCluster.start(settings)) {
      assertThat(cluster.directory()).isEqualTo(directory);
      assertRefused(settings);
    }
    Files.createDirectory(directory);
    Files.writeString(directory.resolve("thesis.txt"), "do not delete");
    assertRefused(settings);
    assertThat(directory.resolve("thesis.txt")).exists();
  }

  @Test
  void aDirectoryThatTheServersUserCannotEnterIsRefused(@TempDir Path temporary) {
    if (Unprivileged.isRoot() && Unprivileged.NOBODY.works()) {
      assertRefused(
          ClusterSettings.of(1)
              .withUnprivileged(Unprivileged.NOBODY)
              .withDirectory(temporary.resolve("shards")));
    }
  }

  /** What a test gets is closed to others, and the servers may run as another user. */
  static void openToOthers(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
  }

  private static void assertRefused(ClusterSettings settings) {
    assertThatThrownBy(() -> ShardCluster.start(settings))
        .isInstanceOfSatisfying(
            ConcordException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.EMBEDDED_DIRECTORY_TAKEN));
  }

  private static String identifier(ShardCluster cluster, String uid) throws SQLException {
    try (Connection admin = cluster.asSuperuser(new ShardId(uid))) {
      return ask(admin, "SELECT system_identifier FROM pg_control_system()");
    }
  }

  private static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
