package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
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

/** Statements through the router's port, with pgJDBC as the client, over two real shards. */
class ExecutorIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String X = "x@example.com";

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
  void twoUsersOnEachShard() {
    shards.empty();
    router.publish(GsiState.ENABLED);
    for (String tenant : List.of(ON_A, ON_B)) {
      for (int user = 1; user <= 2; user++) {
        String email = "u" + user + "@t" + tenant;
        String values = tenant + ", " + user + ", '" + email + "'";
        shards.run(
            tenant.equals(ON_A) ? A : B,
            "INSERT INTO users (tenant_id, user_id, email) VALUES (" + values + ")");
        shards.run(A, "INSERT INTO users_by_email VALUES ('" + email + "', " + tenant + ")");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
  void readsOfEveryRoute(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      assertThat(
              rows(client, "SELECT user_id FROM users WHERE tenant_id = " + ON_B + " ORDER BY 1"))
          .containsExactly("1", "2");
      assertThat(rows(client, "SELECT email FROM users"))
          .containsExactlyInAnyOrder("u1@t" + ON_A, "u2@t" + ON_A, "u1@t" + ON_B, "u2@t" + ON_B);
      assertThat(rows(client, "SELECT tenant_id FROM users WHERE email = 'u2@t" + ON_B + "'"))
          .containsExactly(ON_B);
      assertThat(rows(client, "SELECT tenant_id FROM users WHERE email = 'nobody'")).isEmpty();
      assertThat(rows(client, "SELECT count(*) FROM users WHERE email = 'nobody'"))
          .containsExactly("0");
      assertThat(rows(client, "SELECT name FROM countries ORDER BY 1"))
          .containsExactly("Finland", "France");
      assertThat(
              rows(
                  client,
                  "SELECT c.name FROM users u JOIN countries c ON c.code = 'FI' WHERE u.tenant_id ="
                      + ON_A
                      + " AND u.user_id = 1"))
          .containsExactly("Finland");
      assertThat(rows(client, "SELECT 1")).containsExactly("1");
      assertThat(rows(client, "SHOW search_path")).hasSize(1);
    }
  }

  @Test
  void parametersRouteToo() throws SQLException {
    try (Connection client = router.connect();
        PreparedStatement byTenant =
            client.prepareStatement("SELECT email FROM users WHERE tenant_id = ? AND user_id = 1");
        PreparedStatement byEmail =
            client.prepareStatement("SELECT tenant_id FROM users WHERE email = ?")) {
      for (int round = 0; round < 12; round++) {
        for (String tenant : List.of(ON_A, ON_B)) {
          byTenant.setLong(1, Long.parseLong(tenant));
          assertThat(rows(byTenant)).containsExactly("u1@t" + tenant);
          byEmail.setString(1, "u2@t" + tenant);
          assertThat(rows(byEmail)).containsExactly(tenant);
        }
      }
    }
  }

  @Test
  void explainSaysHowAReadByEmailGoes() throws SQLException {
    try (Connection client = router.connect()) {
      String explain = "EXPLAIN (ROUTER) SELECT * FROM users WHERE email = 'u1'";
      String through = String.join("\n", rows(client, explain));
      router.publish(GsiState.TAILING);
      String scatter = String.join("\n", rows(client, explain));
      assertThat(through).containsIgnoringCase("lookup").isNotEqualTo(scatter);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
  void insertsAndDeletesKeepEntries(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      for (String tenant : List.of(ON_A, ON_B)) {
        for (int round = 0; round < 7; round++) {
          assertThat(update(client, insert(tenant, 10, X))).isEqualTo(1);
          assertThat(shards.entries()).containsEntry(X, tenant);
          assertThat(rows(client, "SELECT user_id FROM users WHERE email = '" + X + "'"))
              .containsExactly("10");
          String delete = "DELETE FROM users WHERE user_id = 10 AND tenant_id = " + tenant;
          assertThat(update(client, delete)).isEqualTo(1);
          assertThat(update(client, delete)).isZero();
          assertThat(shards.entries()).doesNotContainKey(X).hasSize(4);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void returningGivesTheClientsColumnsAlone(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      for (String tenant : List.of(ON_A, ON_B)) {
        String sql = insert(tenant, 10, X) + " RETURNING user_id, name";
        try (Statement statement = client.createStatement();
            ResultSet result = statement.executeQuery(sql)) {
          assertThat(result.getMetaData().getColumnCount()).isEqualTo(2);
          assertThat(result.next()).isTrue();
          assertThat(result.getLong(1)).isEqualTo(10);
          assertThat(result.getString(2)).isNull();
          assertThat(result.next()).isFalse();
        }
        assertThat(
                rows(
                    client,
                    "DELETE FROM users WHERE user_id = 10 AND tenant_id = "
                        + tenant
                        + " RETURNING *"))
            .containsExactly(tenant);
      }
    }
  }

  @Test
  void preparedReturningInBinary() throws SQLException {
    try (Connection client = router.connect()) {
      try (PreparedStatement insert =
              client.prepareStatement(
                  "INSERT INTO users (tenant_id, user_id, email) VALUES (?, ?, ?) RETURNING"
                      + " user_id");
          PreparedStatement delete =
              client.prepareStatement(
                  "DELETE FROM users WHERE tenant_id = ? AND user_id = ? RETURNING email")) {
        for (int round = 0; round < 12; round++) {
          insert.setLong(1, Long.parseLong(ON_B));
          insert.setLong(2, 100 + round);
          insert.setString(3, "r" + round);
          assertThat(rows(insert)).containsExactly(Integer.toString(100 + round));
          assertThat(shards.entries()).containsEntry("r" + round, ON_B);
        }
        for (int round = 0; round < 12; round++) {
          delete.setLong(1, Long.parseLong(ON_B));
          delete.setLong(2, 100 + round);
          assertThat(rows(delete)).containsExactly("r" + round);
        }
      }
      assertThat(shards.entries()).hasSize(4);
    }
  }

  @Test
  void aDuplicateNamesIndexAndValueButNotTheOwner() throws SQLException {
    try (Connection client = router.connect()) {
      update(client, insert(ON_B, 10, X));
      SQLException error = fails(client, insert(ON_A, 11, X));
      assertThat(error.getSQLState()).isEqualTo("23505");
      assertThat(error.getMessage())
          .contains("app.by_email")
          .contains("(email)=(" + X + ")")
          .doesNotContain("(" + ON_B + ")");
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_A))
          .containsExactly("2");
    }
  }

  @Test
  void aTransactionSeesItsOwnRowsThroughTheIndex() throws SQLException {
    try (Connection client = router.connect();
        Connection other = router.connect()) {
      client.setAutoCommit(false);
      String read = "SELECT user_id FROM users WHERE email = '" + X + "'";
      update(client, insert(ON_B, 10, X));
      assertThat(rows(client, read)).containsExactly("10");
      assertThat(rows(other, read)).isEmpty();
      update(client, "DELETE FROM users WHERE user_id = 10 AND tenant_id = " + ON_B);
      assertThat(rows(client, read)).isEmpty();
      update(client, insert(ON_B, 12, X));
      client.commit();
      assertThat(rows(other, read)).containsExactly("12");
      assertThat(shards.entries()).containsEntry(X, ON_B);
    }
  }

  @Test
  void aFailedTransactionTakesNothingButItsEnd() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      update(client, insert(ON_B, 10, X));
      assertThat(fails(client, insert(ON_A, 10, X)).getSQLState()).isEqualTo("23505");
      assertThat(fails(client, "SELECT 1").getSQLState()).isEqualTo("25P02");
      client.rollback();
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_B))
          .containsExactly("2");
      assertThat(shards.entries()).hasSize(4);
    }
  }

  @Test
  void aTransactionReadsOneShardAndWritesAnother() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_A))
          .containsExactly("2");
      update(client, "UPDATE users SET name = 'n' WHERE user_id = 1 AND tenant_id = " + ON_B);
      assertThat(rows(client, "SELECT name FROM users WHERE email = 'u1@t" + ON_B + "'"))
          .containsExactly("n");
      client.commit();
      assertThat(shards.ask(B, "SELECT name FROM users WHERE user_id = 1")).isEqualTo("n");
    }
  }

  @Test
  void severalStatementsOfOneQueryCommitTogether() throws SQLException {
    try (Connection client = router.connect("simple")) {
      try (Statement statement = client.createStatement()) {
        statement.execute(insert(ON_B, 10, X) + "; " + insert(ON_B, 11, "y"));
      }
      assertThat(shards.entries()).containsEntry(X, ON_B).containsEntry("y", ON_B);
      assertThat(fails(client, insert(ON_B, 12, "z") + "; " + insert(ON_B, 13, X)).getSQLState())
          .isEqualTo("23505");
      assertThat(shards.entries()).doesNotContainKey("z");
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_B))
          .containsExactly("4");
    }
  }

  @Test
  void oneFailingShardFailsTheScatter() throws SQLException {
    shards.run(B, "UPDATE users SET name = 'zero'");
    try (Connection client = router.connect()) {
      String divide = "SELECT 1 / (CASE WHEN name = 'zero' THEN 0 ELSE 1 END) FROM users";
      for (int round = 0; round < 5; round++) {
        assertThat(fails(client, divide).getSQLState()).isEqualTo("22012");
        assertThat(rows(client, "SELECT email FROM users")).hasSize(4);
      }
    }
  }

  @Test
  void shardsThatDifferAreNamed() throws SQLException {
    shards.run(B, "ALTER TABLE users ALTER COLUMN name TYPE varchar(9)");
    try (Connection client = router.connect()) {
      SQLException error = fails(client, "SELECT name FROM users");
      assertThat(error.getMessage()).contains("shard-a").contains("shard-b").contains("\"name\"");
    } finally {
      shards.run(B, "ALTER TABLE users ALTER COLUMN name TYPE text");
    }
  }

  @Test
  void portalsGiveRowsInPortions() throws SQLException {
    shards.run(
        B, "INSERT INTO users SELECT " + ON_B + ", i, 'p' || i FROM generate_series(10, 109) i");
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      try (Statement statement = client.createStatement()) {
        statement.setFetchSize(7);
        List<String> users = new ArrayList<>();
        try (ResultSet result =
            statement.executeQuery("SELECT user_id FROM users WHERE tenant_id = " + ON_B)) {
          while (result.next()) {
            users.add(result.getString(1));
          }
        }
        assertThat(users).hasSize(102).doesNotHaveDuplicates();
      }
      client.commit();
    }
  }

  @Test
  void cancelEndsAllParts() throws SQLException {
    try (Connection client = router.connect()) {
      try (Statement statement = client.createStatement()) {
        statement.setQueryTimeout(1);
        SQLException error =
            catchThrowableOfType(
                SQLException.class,
                () -> statement.executeQuery("SELECT pg_sleep(60), 1 WHERE 1 = 1"));
        assertThat(error.getSQLState()).isEqualTo("57014");
      }
      assertThat(rows(client, "SELECT email FROM users")).hasSize(4);
    }
  }

  @Test
  void belowWriteOnlyNothingIsMaintained() throws SQLException {
    router.publish(GsiState.TAILING);
    try (Connection client = router.connect()) {
      update(client, insert(ON_B, 10, X));
      assertThat(shards.entries()).doesNotContainKey(X);
      assertThat(rows(client, "SELECT user_id FROM users WHERE email = '" + X + "'"))
          .containsExactly("10");
      String change = "UPDATE users SET email = 'q' WHERE user_id = 10 AND tenant_id = " + ON_B;
      assertThat(fails(client, change).getSQLState()).isEqualTo("0A000");
    }
  }

  @Test
  void anOpenTransactionHoldsTheDrainUp() throws Exception {
    try (Connection client = router.connect()) {
      PreparedStatement insert =
          client.prepareStatement("INSERT INTO users (tenant_id, user_id, email) VALUES (?, ?, ?)");
      router.publish(GsiState.TAILING);
      client.setAutoCommit(false);
      insert.setLong(1, Long.parseLong(ON_B));
      insert.setLong(2, 10);
      insert.setString(3, X);
      insert.executeUpdate();
      long revision = router.publish(GsiState.WRITE_ONLY);
      assertThat(router.epochs.awaitDrained(revision, Duration.ofMillis(50))).isFalse();
      client.commit();
      assertThat(router.epochs.awaitDrained(revision, Duration.ofSeconds(30))).isTrue();

      insert.setLong(2, 11);
      insert.setString(3, "y");
      insert.executeUpdate();
      client.commit();
      assertThat(shards.entries()).containsEntry("y", ON_B).doesNotContainKey(X);
      insert.close();
    }
  }

  @Test
  void aBeginAloneHoldsTheDrainUp() throws Exception {
    try (Connection client = router.connect("simple")) {
      update(client, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      long revision = router.publish(GsiState.ENABLED);
      assertThat(router.epochs.awaitDrained(revision, Duration.ofMillis(50))).isFalse();
      update(client, "ROLLBACK");
      assertThat(router.epochs.awaitDrained(revision, Duration.ofSeconds(30))).isTrue();
    }
    Connection client = router.connect("simple");
    update(client, "BEGIN");
    long revision = router.publish(GsiState.ENABLED);
    client.close();
    assertThat(router.epochs.awaitDrained(revision, Duration.ofSeconds(30))).isTrue();
  }

  @Test
  void aTenantUnderRowSecurityDoesNotGetAnothersValue() throws SQLException {
    for (var shard : List.of(A, B)) {
      shards.run(
          shard,
          "CREATE POLICY own ON users USING (tenant_id::text = "
              + "current_setting('app.tenant', true))");
      shards.run(shard, "ALTER TABLE users ENABLE ROW LEVEL SECURITY");
      shards.run(shard, "ALTER TABLE users FORCE ROW LEVEL SECURITY");
    }
    try (Connection client = router.connect()) {
      update(client, "SET app.tenant = '" + ON_A + "'");
      assertThat(rows(client, "SELECT email FROM users")).hasSize(2);
      assertThat(fails(client, insert(ON_A, 10, "u1@t" + ON_B)).getSQLState()).isEqualTo("23505");
      assertThat(update(client, insert(ON_A, 10, X))).isEqualTo(1);
      update(client, "SET app.tenant = '" + ON_B + "'");
      assertThat(fails(client, insert(ON_B, 10, X)).getSQLState()).isEqualTo("23505");
      assertThat(rows(client, "SELECT user_id FROM users WHERE email = '" + X + "'")).isEmpty();
      assertThat(shards.entries()).containsEntry(X, ON_A).containsEntry("u1@t" + ON_B, ON_B);
    } finally {
      for (var shard : List.of(A, B)) {
        shards.run(shard, "ALTER TABLE users NO FORCE ROW LEVEL SECURITY");
        shards.run(shard, "ALTER TABLE users DISABLE ROW LEVEL SECURITY");
        shards.run(shard, "DROP POLICY own ON users");
      }
    }
  }

  @Test
  void manyRowsOfOneTenantGoAtOnce() throws SQLException {
    try (Connection client = router.connect()) {
      StringBuilder values =
          new StringBuilder("INSERT INTO users (tenant_id, user_id, email) VALUES ");
      for (int i = 0; i < 50; i++) {
        values.append(i == 0 ? "" : ", ").append("(%s, %d, 'm%d')".formatted(ON_B, 100 + i, i));
      }
      assertThat(update(client, values.toString())).isEqualTo(50);
      assertThat(shards.entries()).hasSize(54);
      assertThat(update(client, "DELETE FROM users WHERE tenant_id = " + ON_B)).isEqualTo(52);
      assertThat(shards.entries()).hasSize(2);
    }
  }

  @Test
  void aRaisedReadEpochSendsStalePlansAround() throws SQLException {
    try (Connection client = router.connect()) {
      String sequence = "pgconcord.\"read_epoch_by_email\"";
      shards.run(A, "SELECT setval('" + sequence + "', 1000000)");
      shards.run(A, "DELETE FROM users_by_email");
      assertThat(rows(client, "SELECT user_id FROM users WHERE email = 'u1@t" + ON_B + "'"))
          .containsExactly("1");
      shards.run(A, "SELECT setval('" + sequence + "', 1)");
    }
  }

  @Test
  void aLostMainLeavesNothingOpen() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      update(client, insert(ON_B, 10, X));
      shards.run(
          B,
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'demo' AND"
              + " state = 'idle in transaction'");
      SQLException error = catchThrowableOfType(SQLException.class, client::commit);
      assertThat((Throwable) error).isNotNull();
      client.setAutoCommit(true);
      assertThat(rows(client, "SELECT count(*) FROM users WHERE tenant_id = " + ON_B))
          .containsExactly("2");
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(
                          shards.ask(
                              A,
                              "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in"
                                  + " transaction%'"))
                      .isEqualTo("0"));
      shards.settle(List.of(X));
      assertThat(shards.entries()).doesNotContainKey(X);
    }
  }

  @Test
  void whatIsOffTheListIsRefused() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      for (String refused :
          List.of(
              "UPDATE users SET email = 'e' WHERE tenant_id = " + ON_B,
              "DELETE FROM users WHERE email = 'u1'",
              "SELECT * FROM users_by_email",
              "SELECT ctid FROM users",
              "UPDATE countries SET code = 'SE' WHERE code = 'FI'")) {
        assertThat(fails(client, refused).getSQLState()).as(refused).isEqualTo("0A000");
        client.rollback();
      }
    }
  }

  // --- the client ------------------------------------------------------------------------------

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES ("
        + tenant
        + ", "
        + user
        + ", '"
        + email
        + "')";
  }

  private static int update(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return firstColumn(result);
    }
  }

  private static List<String> rows(PreparedStatement statement) throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      return firstColumn(result);
    }
  }

  private static List<String> firstColumn(ResultSet result) throws SQLException {
    List<String> values = new ArrayList<>();
    while (result.next()) {
      values.add(result.getString(1));
    }
    return values;
  }

  private static SQLException fails(Connection client, String sql) {
    SQLException error =
        catchThrowableOfType(
            SQLException.class,
            () -> {
              try (Statement statement = client.createStatement()) {
                statement.execute(sql);
              }
            });
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }
}
