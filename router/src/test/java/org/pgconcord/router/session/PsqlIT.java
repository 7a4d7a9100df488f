package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.Psql;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.testkit.cluster.Authentication;
import org.pgconcord.testkit.cluster.ClusterRoles;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardCluster;

/** psql under SCRAM: what it prints through the router is what it prints on the shard itself. */
class PsqlIT {
  private static ShardCluster cluster;
  private static TestRouter router;
  private static TestRouter fromFile;

  @BeforeAll
  static void start() throws Exception {
    Psql.require();
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

  private static String asDemo(int port, String... arguments) throws Exception {
    return Psql.run(
        port, ClusterRoles.OWNER, cluster.roles().password(ClusterRoles.OWNER), arguments);
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
          .contains("passwords cannot be checked now [session/login-unavailable]");
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
    String wrong = Psql.run(router.port(), "demo", "wrong", "-c", "SELECT 1");
    String unknown = Psql.run(router.port(), "nosuch", "wrong", "-c", "SELECT 1");
    assertThat(wrong).contains("password authentication failed for user \"demo\"");
    assertThat(unknown).isEqualTo(wrong.replace("\"demo\"", "\"nosuch\""));
    assertThat(Psql.run(fromFile.port(), "nosuch", "wrong", "-c", "SELECT 1"))
        .contains("password authentication failed for user \"nosuch\"");
  }

  @Test
  void theOtherShardIsReachedWithTheKeysOfTheLogin() throws Exception {
    assertThat(asDemo(router.port(), "-c", "SELECT current_user /* @b */")).isEqualTo("demo");
  }
}
