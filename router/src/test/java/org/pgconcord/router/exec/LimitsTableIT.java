package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** What writes on the owner of an index are refused, row by row, with all that the client hears. */
class LimitsTableIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ONE = " WHERE tenant_id = " + ON_B + " AND user_id = 1";

  private static LiveRouter router;
  private static Shards shards;

  /** One row of the table: {@code detail} is part of DETAIL, empty where none is given. */
  private record Limit(
      String condition, String sql, String state, String code, String detail, String hint) {
    @Override
    public String toString() {
      return condition;
    }
  }

  static Stream<Limit> limits() {
    return Stream.of(
        new Limit(
            "a statement names a lookup table",
            "SELECT * FROM users_by_email",
            "0A000",
            "table/gsi-lookup",
            "",
            "owner table"),
        new Limit(
            "a write names a lookup table",
            "DELETE FROM users_by_email",
            "0A000",
            "table/gsi-lookup",
            "",
            "owner table"),
        new Limit(
            "UPDATE through the index",
            "UPDATE users SET name = 'x' WHERE email = 'u1'",
            "0A000",
            "write/through-gsi",
            "",
            "shard key"),
        new Limit(
            "DELETE through the index",
            "DELETE FROM users WHERE email = 'u1'",
            "0A000",
            "write/through-gsi",
            "",
            "shard key"),
        update("many rows", "UPDATE users SET email = 'x'", "equalities"),
        update("rows of one tenant", "UPDATE users SET email = 'x' WHERE tenant_id = 5", "unique"),
        update(
            "a unique key without shard key",
            "UPDATE users SET email = 'x' WHERE user_id = 1",
            "shard key"),
        update(
            "another condition beside",
            "UPDATE users SET email = 'x'" + ONE + " AND name > 'a'",
            "equalities"),
        update("OR", "UPDATE users SET email = 'x'" + ONE + " OR user_id = 2", "equalities"),
        update(
            "other columns in SET",
            "UPDATE users SET email = 'x', name = 'y'" + ONE,
            "other columns"),
        update(
            "RETURNING", "UPDATE users SET email = 'x'" + ONE + " RETURNING user_id", "RETURNING"),
        update("DEFAULT", "UPDATE users SET email = DEFAULT" + ONE, "DEFAULT"),
        update(
            "a subquery",
            "UPDATE users SET email = (SELECT max(name) FROM countries)" + ONE,
            "subquery"),
        new Limit(
            "a CTE",
            "WITH x AS (SELECT 1) UPDATE users SET email = 'x'" + ONE,
            "0A000",
            "write/cte",
            "",
            "separate"),
        new Limit(
            "a shard-key column",
            "UPDATE users SET tenant_id = 6" + ONE,
            "0A000",
            "write/shard-key-column",
            "",
            "INSERT it anew"),
        new Limit(
            "the new value is NULL", "UPDATE users SET email = NULL" + ONE, "23502", "", "", ""),
        new Limit(
            "an indexed value is NULL",
            "INSERT INTO users (tenant_id, user_id, email) VALUES (5, 9, NULL)",
            "23502",
            "write/null-key",
            "",
            "value"),
        new Limit(
            "the shard key is NULL",
            "INSERT INTO users (tenant_id, user_id, email) VALUES (NULL, 9, 'x')",
            "23502",
            "write/null-key",
            "",
            "value"),
        new Limit(
            "a required column is absent",
            "INSERT INTO users (tenant_id, user_id) VALUES (5, 9)",
            "0A000",
            "write/gsi-column-missing",
            "",
            "Name the column"),
        new Limit(
            "DELETE ... USING",
            "DELETE FROM users USING countries WHERE tenant_id = 5 AND name = code",
            "0A000",
            "write/delete-using",
            "",
            "WHERE"),
        new Limit(
            "COPY FROM", "COPY users FROM STDIN", "0A000", "write/copy-indexed", "", "INSERT"),
        new Limit(
            "MERGE",
            "MERGE INTO users u USING countries c ON false WHEN NOT MATCHED THEN DO NOTHING",
            "0A000",
            "sql/merge",
            "",
            "INSERT, UPDATE"),
        new Limit(
            "ON CONFLICT",
            "INSERT INTO users (tenant_id, user_id, email) VALUES (5, 1, 'x') ON CONFLICT (tenant_id,"
                + " user_id) DO UPDATE SET email = 'x'",
            "0A000",
            "write/on-conflict",
            "",
            "unique violation"),
        new Limit("TRUNCATE", "TRUNCATE users", "0A000", "sql/truncate", "", "DELETE"),
        new Limit(
            "UPDATE ... FROM",
            "UPDATE users SET name = c.name FROM countries c WHERE tenant_id = 5",
            "0A000",
            "write/update-from",
            "",
            "shard key"));
  }

  private static Limit update(String condition, String sql, String detail) {
    return new Limit(
        "UPDATE of the indexed column: " + condition,
        sql,
        "0A000",
        "write/declared-column",
        detail,
        "Assign it alone");
  }

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
  void twoUsers() {
    shards.empty();
    router.publish(GsiState.ENABLED);
    shards.run(A, "INSERT INTO users VALUES (%s, 1, 'u@a')".formatted(ON_A));
    shards.run(B, "INSERT INTO users VALUES (%s, 1, 'u@b')".formatted(ON_B));
    shards.run(
        A, "INSERT INTO users_by_email VALUES ('u@a', %s), ('u@b', %s)".formatted(ON_A, ON_B));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void isRefused(Limit limit) throws SQLException {
    try (Connection client = router.connect("simple")) {
      ServerErrorMessage error = refused(client, limit.sql());
      assertThat(error.getSQLState()).isEqualTo(limit.state());
      assertThat(error.getMessage()).contains(limit.code());
      assertThat(String.valueOf(error.getDetail())).contains(limit.detail());
      assertThat(String.valueOf(error.getHint())).contains(limit.hint());
    }
    assertThat(shards.entries()).isEqualTo(Map.of("u@a", ON_A, "u@b", ON_B));
    assertThat(shards.owners()).isEqualTo(Map.of("u@a", List.of(ON_A), "u@b", List.of(ON_B)));
  }

  @Test
  void belowMaintainedItsColumnsStayAsTheyAre() throws SQLException {
    router.publish(GsiState.TAILING);
    try (Connection client = router.connect("simple")) {
      ServerErrorMessage error = refused(client, "UPDATE users SET email = 'x'" + ONE);
      assertThat(error.getDetail()).contains("not enabled");
      run(
          client,
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, 2, 'n')".formatted(ON_A));
      run(client, "DELETE FROM users WHERE email = 'u@a'");
      assertThat(shards.entries()).isEqualTo(Map.of("u@a", ON_A, "u@b", ON_B));
      assertThat(shards.owners()).containsOnlyKeys("n", "u@b");
    }
  }

  @ParameterizedTest
  @MethodSource("tenants")
  void oneRowsIndexedColumnIsUpdatedWithItsEntry(String tenant) throws SQLException {
    String old = tenant.equals(ON_A) ? "u@a" : "u@b";
    String where = " WHERE user_id = 1 AND tenant_id = " + tenant;
    try (Connection client = router.connect("simple")) {
      assertThat(count(client, "UPDATE users SET email = 'new'" + where)).isEqualTo(1);
      assertThat(shards.entries()).containsEntry("new", tenant).doesNotContainKey(old);
      assertThat(count(client, "UPDATE users SET email = 'new'" + where)).isEqualTo(1);
      assertThat(count(client, "UPDATE users u SET email = upper(u.email) || '.x'" + where))
          .isEqualTo(1);
      assertThat(shards.entries()).containsEntry("NEW.x", tenant).hasSize(2);
      assertThat(
              count(
                  client,
                  "UPDATE users SET email = 'y' WHERE user_id = 7 AND tenant_id = " + tenant))
          .isZero();
      String taken = tenant.equals(ON_A) ? "u@b" : "u@a";
      ServerErrorMessage duplicate =
          refused(client, "UPDATE users SET email = '" + taken + "'" + where);
      assertThat(duplicate.getSQLState()).isEqualTo("23505");
      assertThat(duplicate.getMessage()).contains("by_email");
      assertThat(shards.entries()).containsEntry("NEW.x", tenant).hasSize(2);
    }
    try (Connection client = router.connect("extended");
        var update =
            client.prepareStatement(
                "UPDATE users SET email = lower(?) || ? WHERE tenant_id = ? AND user_id = ?")) {
      for (int i = 0; i < 8; i++) {
        update.setString(1, "P");
        update.setInt(2, i);
        update.setLong(3, Long.parseLong(tenant));
        update.setInt(4, 1);
        assertThat(update.executeUpdate()).isEqualTo(1);
        assertThat(shards.entries()).containsEntry("p" + i, tenant).hasSize(2);
      }
    }
  }

  static Stream<String> tenants() {
    return Stream.of(ON_A, ON_B);
  }

  @Test
  void thereAndBackAndSavepointsInOneTransaction() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (String tenant : List.of(ON_A, ON_B)) {
        String old = tenant.equals(ON_A) ? "u@a" : "u@b";
        String where = "' WHERE user_id = 1 AND tenant_id = " + tenant;
        run(client, "BEGIN");
        run(client, "UPDATE users SET email = 'y" + where);
        run(client, "UPDATE users SET email = '" + old + where);
        run(client, "COMMIT");
        assertThat(shards.entries()).containsEntry(old, tenant).hasSize(2);
        run(client, "BEGIN");
        run(client, "UPDATE users SET email = 'y" + where);
        run(client, "SAVEPOINT s");
        run(client, "UPDATE users SET email = 'z" + where);
        run(client, "ROLLBACK TO s");
        run(client, "UPDATE users SET email = '" + old + where);
        run(client, "UPDATE users SET email = 'y" + where);
        run(client, "COMMIT");
        assertThat(shards.entries()).containsEntry("y", tenant).hasSize(2);
        run(client, "UPDATE users SET email = '" + old + where);
      }
    }
  }

  @Test
  void twoRowsOfOneTenantSwapTheirValues() throws SQLException {
    for (var shard : List.of(A, B)) {
      String tenant = shard.equals(A) ? ON_A : ON_B;
      String old = shard.equals(A) ? "u@a" : "u@b";
      shards.run(shard, "INSERT INTO users VALUES (%s, 2, 'w')".formatted(tenant));
      shards.run(A, "INSERT INTO users_by_email VALUES ('w', %s)".formatted(tenant));
      try (Connection client = router.connect("simple")) {
        String set =
            "UPDATE users SET email = '%s' WHERE tenant_id = " + tenant + " AND user_id = %d";
        run(client, "BEGIN");
        run(client, set.formatted("between", 1));
        run(client, set.formatted(old, 2));
        run(client, set.formatted("w", 1));
        run(client, "COMMIT");
        assertThat(shards.entries())
            .containsEntry("w", tenant)
            .containsEntry(old, tenant)
            .hasSize(3);
        run(client, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + tenant);
        assertThat(shards.entries()).doesNotContainKey("w");
      }
    }
  }

  private static ServerErrorMessage refused(Connection client, String sql) {
    PSQLException error = catchThrowableOfType(PSQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error.getServerErrorMessage();
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int count(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }
}
