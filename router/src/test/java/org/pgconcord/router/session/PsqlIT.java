package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.testkit.cluster.Authentication;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardCluster;

/** psql under SCRAM: what it prints through the router is what it prints on the shard itself. */
class PsqlIT {
  private static final Path PSQL = Path.of("/usr/bin/psql");
  private static ShardCluster cluster;
  private static TestRouter router;
  private static TestRouter fromFile;

  @BeforeAll
  static void start() throws Exception {
    boolean there = Files.isExecutable(PSQL);
    if (!there && "true".equals(System.getenv("CI"))) {
      throw new AssertionError("psql is not installed, and CI=true");
    }
    Assumptions.assumeTrue(there, "psql is not installed: PsqlIT is skipped");
    cluster = ShardCluster.start(ClusterSettings.of(2).withAuthentication(Authentication.SCRAM));
    String line = "";
    try (var superuser = cluster.asSuperuser(cluster.shards().get(0));
        var statement = superuser.createStatement()) {
      statement.execute("GRANT SELECT ON pg_catalog.pg_authid TO pgconcord");
      statement.execute("CREATE TABLE people (id int PRIMARY KEY, name text NOT NULL)");
      statement.execute("ALTER TABLE people OWNER TO demo");
      try (var rows =
          statement.executeQuery("SELECT rolpassword FROM pg_authid WHERE rolname = 'demo'")) {
        rows.next();
        line = "\"demo\" \"" + rows.getString(1) + "\"\n";
      }
    }
    router = TestRouter.start(cluster, RouterSettings.Auth.SCRAM, UnaryOperator.identity());
    Path users = Files.createTempFile("users", ".txt");
    Files.writeString(users, "; clients of the test\n" + line);
    fromFile =
        TestRouter.start(
            cluster, RouterSettings.Auth.SCRAM, s -> s.withUsersFile(java.util.Optional.of(users)));
    Files.delete(users);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      router.close();
      fromFile.close();
      cluster.close();
    }
  }

  private static String psql(int port, String user, String password, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(PSQL.toString(), "-X", "-At", "-v", "VERBOSITY=verbose"));
    command.addAll(List.of("-h", "127.0.0.1", "-p", String.valueOf(port), "-U", user, "-d", "app"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(Map.of("PGPASSWORD", password, "PGCONNECT_TIMEOUT", "20"));
    Process process = builder.start();
    process.getOutputStream().close();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    process.waitFor();
    return output;
  }

  private static String asDemo(int port, String... arguments) throws Exception {
    return psql(port, ClusterRoles.OWNER, cluster.roles().password(ClusterRoles.OWNER), arguments);
  }

  @Test
  void theSameAnswersAsTheShardItself() throws Exception {
    int direct = cluster.shard("shard-a").port();
    for (String command :
        new String[] {
          "\\d",
          "\\d people",
          "\\dt+",
          "\\dn",
          "\\df public.*",
          "\\l app",
          "\\du demo",
          "SELECT 1 AS a, NULL, 'x'",
          "SELECT 1/0",
          "SELECT * FROM missing",
          "SELECT 1; SELECT 2",
          "SELECT 1; SELECT 1/0; SELECT 3",
          "BEGIN; SELECT 1; COMMIT",
          ";",
          "",
          "SHOW server_version",
          "SET work_mem = '5MB'",
          "SELECT current_user, session_user"
        }) {
      assertThat(asDemo(router.port(), "-c", command))
          .as(command)
          .isEqualTo(asDemo(direct, "-c", command));
    }
  }

  @Test
  void verifiersMayComeFromAFileWhenTheShardsAreNotReadable() throws Exception {
    superuser("REVOKE SELECT ON pg_catalog.pg_authid FROM pgconcord");
    try {
      assertThat(asDemo(fromFile.port(), "-c", "SELECT current_user")).isEqualTo("demo");
      assertThat(asDemo(router.port(), "-c", "SELECT current_user"))
          .contains("password authentication failed for user \"demo\"");
    } finally {
      superuser("GRANT SELECT ON pg_catalog.pg_authid TO pgconcord");
    }
  }

  private static void superuser(String sql) throws Exception {
    try (var superuser = cluster.asSuperuser(cluster.shards().get(0));
        var statement = superuser.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aWrongPasswordAndAnUnknownRoleSoundAlike() throws Exception {
    String wrong = psql(router.port(), "demo", "wrong", "-c", "SELECT 1");
    String unknown = psql(router.port(), "nosuch", "wrong", "-c", "SELECT 1");
    assertThat(wrong).contains("password authentication failed for user \"demo\"");
    assertThat(unknown).isEqualTo(wrong.replace("\"demo\"", "\"nosuch\""));
    assertThat(psql(fromFile.port(), "nosuch", "wrong", "-c", "SELECT 1"))
        .contains("password authentication failed for user \"nosuch\"");
  }

  @Test
  void theOtherShardIsReachedWithTheKeysOfTheLogin() throws Exception {
    assertThat(asDemo(router.port(), "-c", "SELECT current_user /* @b */")).isEqualTo("demo");
  }
}
