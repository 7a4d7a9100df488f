package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;

/**
 * Ways to a wrong answer or an unmaintained row that are not seen in a statement at first sight.
 */
class UnseenWaysIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);

  private static LiveRouter router;
  private static Shards shards;

  @BeforeAll
  static void start() throws SQLException {
    router = new LiveRouter();
    shards = router.shards;
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  @BeforeEach
  void noUsers() {
    shards.empty();
    router.publish(GsiState.ENABLED);
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(result.getString(1));
      }
      return rows;
    }
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String insert(String tenant, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 1, '%s')"
        .formatted(tenant, email);
  }

  @Test
  void aTriggerThatMovesTheNewRowToAnotherShardFailsTheInsert() throws SQLException {
    shards.run(
        A,
        "CREATE FUNCTION moved() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$BEGIN NEW.tenant_id := %s; RETURN NEW; END$$".formatted(ON_B));
    shards.run(
        A, "CREATE TRIGGER moved BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION moved()");
    try (Connection client = router.connect()) {
      assertThatThrownBy(() -> run(client, insert(ON_A, "x@example.com")))
          .hasMessageContaining("write/shard-key-column");
      assertThat(rows(client, "SELECT email FROM users")).isEmpty();
      assertThat(shards.entries()).isEmpty();
    } finally {
      shards.run(A, "DROP TRIGGER moved ON users");
      shards.run(A, "DROP FUNCTION moved");
    }
  }

  @Test
  void aQuotedOptionOfExplainDoesNotRunAWriteUnmaintained() throws SQLException {
    try (Connection client = router.connect()) {
      assertThatThrownBy(
              () -> run(client, "EXPLAIN (\"analyze\") " + insert(ON_A, "x@example.com")))
          .hasMessageContaining("sql/command");
      assertThat(rows(client, "SELECT email FROM users")).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT (u).count FROM users u",
        "SELECT c.count FROM users u JOIN countries c ON c.code = u.name",
        "SELECT (u.*).max FROM users u"
      })
  void anAggregateWrittenAsAFieldIsTakenOverAllRows(String sql) throws SQLException {
    try (Connection client = router.connect()) {
      run(client, insert(ON_A, "a@example.com"));
      run(client, insert(ON_B, "b@example.com"));
      assertThat(rows(client, sql)).hasSize(1);
      assertThat(rows(client, "SELECT (u).count FROM users u LIMIT 1")).containsExactly("2");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET default_transaction_isolation = 'repeatable read'; BEGIN",
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN",
        "BEGIN; SET transaction_isolation = 'repeatable read'",
        "BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
      })
  void aFixedSnapshotDoesNotReadTheIndexHoweverItCameAbout(String begin) throws SQLException {
    try (Connection client = router.connect()) {
      for (String command : begin.split("; ")) {
        run(client, command);
      }
      assertThat(rows(client, "EXPLAIN (ROUTER) SELECT 1 FROM users WHERE email = 'x'").get(0))
          .contains("scatter");
      run(client, "ROLLBACK");
    }
  }

  @Test
  void aRoleWithAFixedSnapshotByDefaultDoesNotReadTheIndexInATransaction() throws SQLException {
    for (var shard : List.of(A, B)) {
      shards.run(shard, "ALTER ROLE demo SET default_transaction_isolation = 'repeatable read'");
    }
    try (Connection client = router.connect()) {
      run(client, "BEGIN");
      assertThat(rows(client, "EXPLAIN (ROUTER) SELECT 1 FROM users WHERE email = 'x'").get(0))
          .contains("scatter");
      run(client, "ROLLBACK");
    } finally {
      for (var shard : List.of(A, B)) {
        shards.run(shard, "ALTER ROLE demo RESET default_transaction_isolation");
      }
    }
  }
}
