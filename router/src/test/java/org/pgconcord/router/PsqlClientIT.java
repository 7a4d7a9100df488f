package org.pgconcord.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** psql against the whole router: catalogs as the authoritative shard has them, and all rows. */
class PsqlClientIT {
  private static final int ROWS = 500;
  private static SampleRouter router;

  @BeforeAll
  static void start() throws Exception {
    Psql.require();
    router = SampleRouter.start(ROWS);
  }

  @AfterAll
  static void stop() {
    if (router != null) {
      router.close();
    }
  }

  private static String routed(String... arguments) throws Exception {
    return Psql.run(router.port(), "demo", "", arguments);
  }

  private static String direct(String... arguments) throws Exception {
    return Psql.run(router.cluster().shard("shard-a").port(), "demo", "", arguments);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\d",
        "\\d users",
        "\\d+ users",
        "\\d countries",
        "\\dt",
        "\\dt+",
        "\\di",
        "\\dv",
        "\\ds",
        "\\dn",
        "\\df",
        "\\du",
        "\\l app",
        "\\dT",
        "\\dp",
        "\\dx",
        "\\conninfo+",
        "\\dC",
        "\\do",
        "\\dD",
        "\\dF",
        "\\dg",
        "\\drds",
        "\\des",
        "\\dA",
        "\\dS pg_class",
        "\\sf now",
        "\\encoding",
        "SELECT version()",
        "SHOW search_path",
        "SELECT pg_is_in_recovery()",
        "SELECT name FROM countries WHERE code = 'DE'",
        "SELECT 1; SELECT 2",
        "SELECT 1/0",
        "SELECT * FROM nowhere",
        "SELECT * frm users",
        "SELECT name FROM users WHERE",
        "SELCT 1",
        "SELECT nme FROM users",
        "  /* x */ SELECT nme FROM users;",
        "SELECT 1; SELECT 2; SELECT nme FROM users WHERE tenant_id = 1; SELECT 3",
        "SELECT 'ä'; SELECT nme FROM countries",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (1, 900, 'a'), (2, 'b', 'c')",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (2, 'b', 'c'), (1, 900, 'a')",
        "INSERT INTO users (tenant_id, user_id, email) VALUES (1, 900, 'a'), (3, 900, nme)",
        "SELECT 1 \\gdesc"
      })
  void whatPsqlPrintsIsWhatTheHomeShardSays(String command) throws Exception {
    String expected =
        direct("-c", command).replace("" + router.cluster().shard("shard-a").port(), "PORT");
    assertThat(routed("-c", command).replace("" + router.port(), "PORT")).isEqualTo(expected);
  }

  @Test
  void scatteredRowsAreAllThere() throws Exception {
    assertThat(routed("-c", "SELECT user_id FROM users").lines()).hasSize(ROWS);
  }

  @Test
  void aScriptOfSeveralStatementsStopsAtItsError() throws Exception {
    assertThat(
            routed(
                "-c",
                "BEGIN; INSERT INTO users VALUES (90001, 1, 'p', 'p', 'DE'); SELECT 1/0; COMMIT"))
        .contains("22012");
    assertThat(routed("-c", "SELECT count(*) FROM users WHERE tenant_id = 90001")).isEqualTo("0");
    assertThat(
            routed(
                "-c",
                "BEGIN; INSERT INTO users VALUES (90001, 1, 'p', 'p', 'DE'); COMMIT",
                "-c",
                "SELECT name FROM users WHERE tenant_id = 90001 AND user_id = 1"))
        .endsWith("p");
  }

  @Test
  void rowsGoOutAndComeBackByCopy() throws Exception {
    Path file = Files.createTempFile("users", ".csv");
    String columns = "(tenant_id, user_id, email, name)";
    String where = "WHERE user_id % 2 = 0 AND tenant_id < 90000";
    routed(
        "-c",
        "\\copy (SELECT tenant_id, user_id, email, name FROM users %s) to '%s' csv header"
            .formatted(where, file));
    int rows = Files.readAllLines(file).size() - 1;
    assertThat(rows).isPositive();
    assertThat(routed("-c", "DELETE FROM users " + where)).isEqualTo("DELETE " + rows);
    assertThat(routed("-c", "\\copy users %s from '%s' csv header".formatted(columns, file)))
        .isEqualTo("COPY " + rows);
    assertThat(routed("-c", "SELECT user_id FROM users " + where).lines()).hasSize(rows);
    Files.delete(file);
  }

  @Test
  void whatIsRefusedIsNamed() throws Exception {
    for (String refused :
        new String[] {
          "COPY users TO '/tmp/users'",
          "COPY users FROM PROGRAM 'cat'",
          "PREPARE p AS SELECT 1",
          "CREATE TEMP TABLE t (a int)",
          "SELECT pg_advisory_lock(user_id) FROM users",
          "SELECT set_config('search_path', '', false), 1",
          "SET pgconcord.fanuot = single",
          "SET client_encoding = latin1"
        }) {
      assertThat(routed("-c", refused))
          .as(refused)
          .containsPattern("ERROR:  (0A000|42704): .*\\[.+/.+\\]");
    }
    assertThat(routed("-c", "SELECT 1")).isEqualTo("1");
  }
}
