package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;

/** One statement that writes rows of several shards, their entries kept. */
class WritesOverShardsIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ALSO_ON_A = tenantOf(A, 1);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ALSO_ON_B = tenantOf(B, 1);
  private static final List<String> TENANTS = List.of(ON_A, ON_B, ALSO_ON_A, ALSO_ON_B);

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
  void empty() {
    shards.empty();
    router.publish(GsiState.ENABLED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void rowsOfOneInsertGoToTheirShards(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      String sql = "INSERT INTO users (tenant_id, user_id, email) VALUES " + values(40);
      assertThat(count(client, sql)).isEqualTo(40);
      assertThat(shards.owners()).hasSize(40);
      entriesAreTrue();
      assertThat(rows(client, sql.replace(", 'm", "99, 'n") + " RETURNING email || '!'"))
          .hasSize(40)
          .startsWith("n0!", "n1!", "n2!", "n3!")
          .endsWith("n39!");
      entriesAreTrue();
    }
  }

  @Test
  void parametersAreSharedOutToo() throws SQLException {
    try (Connection client = router.connect("extended");
        PreparedStatement insert =
            client.prepareStatement(
                "INSERT INTO users (tenant_id, user_id, email, name) VALUES (?, ?, ?, ?), (?, ?, ?,"
                    + " ?), (?, ?, ?, ?) RETURNING tenant_id, email")) {
      for (int round = 0; round < 7; round++) {
        for (int row = 0; row < 3; row++) {
          insert.setLong(4 * row + 1, Long.parseLong(TENANTS.get((round + row) % 4)));
          insert.setInt(4 * row + 2, round);
          insert.setString(4 * row + 3, "p" + round + "." + row);
          insert.setString(4 * row + 4, null);
        }
        try (ResultSet result = insert.executeQuery()) {
          for (int row = 0; row < 3; row++) {
            assertThat(result.next()).isTrue();
            assertThat(result.getString(2)).isEqualTo("p" + round + "." + row);
            assertThat(result.getString(1)).isEqualTo(TENANTS.get((round + row) % 4));
          }
        }
      }
      assertThat(shards.owners()).hasSize(21);
      entriesAreTrue();
    }
  }

  @Test
  void oneFailingRowUndoesAllOfTheInsert() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "INSERT INTO users VALUES (%s, 1, 'taken')".formatted(ON_B));
      String values = "(%s, 5, 'a'), (%s, 5, '%s')";
      for (String duplicate : List.of("taken", "a")) {
        fails(
            client,
            "INSERT INTO users VALUES " + values.formatted(ON_A, ALSO_ON_B, duplicate),
            "23505");
        fails(
            client, "INSERT INTO users VALUES " + values.formatted(ON_A, ON_B, duplicate), "23505");
      }
      run(client, "BEGIN; SAVEPOINT s");
      fails(client, "INSERT INTO users VALUES " + values.formatted(ON_A, ON_B, "taken"), "23505");
      run(client, "ROLLBACK TO s");
      run(client, "INSERT INTO users VALUES " + values.formatted(ON_A, ON_B, "free"));
      run(client, "COMMIT");
      assertThat(shards.owners()).containsOnlyKeys("taken", "a", "free");
      entriesAreTrue();
    }
  }

  @Test
  void singleModeRefusesRowsOfTwoShards() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = single");
      String both = "INSERT INTO users (tenant_id, user_id, email) VALUES " + values(4);
      fails(client, both, "0A000");
      fails(client, "DELETE FROM users", "0A000");
      assertThat(shards.owners()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void deletesAndUpdatesWithoutTheShardKeyGoToAll(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      run(client, "INSERT INTO users (tenant_id, user_id, email) VALUES " + values(40));
      assertThat(count(client, "UPDATE users SET name = 'even' WHERE user_id % 2 = 0"))
          .isEqualTo(20);
      assertThat(count(client, "UPDATE users SET name = upper(name) WHERE name = 'even'"))
          .isEqualTo(20);
      assertThat(rows(client, "UPDATE users SET name = 'q' WHERE user_id < 2 RETURNING email"))
          .containsExactlyInAnyOrder("m0", "m1");
      assertThat(count(client, "DELETE FROM users WHERE name = 'EVEN'")).isEqualTo(19);
      entriesAreTrue();
      assertThat(rows(client, "DELETE FROM users WHERE user_id > 35 RETURNING email, 1"))
          .containsExactlyInAnyOrder("m37", "m39");
      entriesAreTrue();
      assertThat(
              count(client, "DELETE FROM users WHERE tenant_id IN (%s, %s)".formatted(ON_A, ON_B)))
          .isPositive();
      entriesAreTrue();
      assertThat(count(client, "DELETE FROM users")).isPositive();
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
    }
  }

  @Test
  void oneFailingShardUndoesTheWholeStatement() throws SQLException {
    shards.run(B, "ALTER TABLE users ADD CONSTRAINT odd CHECK (name <> 'bad')");
    try (Connection client = router.connect("simple")) {
      run(client, "INSERT INTO users (tenant_id, user_id, email) VALUES " + values(8));
      fails(client, "UPDATE users SET name = 'bad'", "23514");
      assertThat(rows(client, "SELECT email FROM users WHERE name IS NOT NULL")).isEmpty();
    } finally {
      shards.run(B, "ALTER TABLE users DROP CONSTRAINT odd");
    }
  }

  @Test
  void whatIsNotEachShardsOwnIsRefused() throws SQLException {
    try (Connection client = router.connect("simple")) {
      for (String refused :
          List.of(
              "DELETE FROM users WHERE email IN (SELECT email FROM users)",
              "UPDATE users SET name = nextval('x')",
              "DELETE FROM users WHERE ctid = '(0,1)'",
              "UPDATE users SET name = my_function(name)")) {
        fails(client, refused, "0A000");
      }
    }
  }

  @Test
  void tooManyEntriesAreAClearError() throws SQLException {
    shards.run(
        B,
        "INSERT INTO users SELECT %s, g, 'big' || g FROM generate_series(1, 100001) g"
            .formatted(ON_B));
    try (Connection client = router.connect("simple")) {
      SQLException error = fails(client, "DELETE FROM users", "54000");
      assertThat(error.getMessage()).contains("write/too-many-entries");
      assertThat(shards.ask(B, "SELECT count(*) FROM users")).isEqualTo("100001");
      assertThat(count(client, "DELETE FROM users WHERE user_id > 1000")).isEqualTo(99001);
    }
  }

  // --- random writes ---------------------------------------------------------------------------

  /** Whatever the client does, rows are those of one server, and entries are the rows'. */
  @Test
  void randomWritesEndAsOnOneServer() throws SQLException {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    System.out.println("random writes over shards, -Dpgconcord.seed=" + seed);
    Random random = new Random(seed);
    try (Connection client = router.connect("simple");
        Connection plain = shards.cluster.asSuperuser(A)) {
      run(
          plain,
          "CREATE TEMP TABLE users (tenant_id bigint, user_id bigint, email text UNIQUE,"
              + " name text, PRIMARY KEY (tenant_id, user_id))");
      for (int round = 0; round < 120; round++) {
        transaction(client, plain, random, "seed " + seed + " round " + round);
      }
    }
  }

  private static void transaction(Connection client, Connection plain, Random random, String what)
      throws SQLException {
    run(client, "BEGIN");
    run(plain, "BEGIN");
    StringBuilder did = new StringBuilder(what);
    for (int step = random.nextInt(6); step >= 0; step--) {
      String sql = statement(random);
      did.append("\n").append(sql);
      run(client, "SAVEPOINT s");
      run(plain, "SAVEPOINT s");
      String state = attempt(client, sql);
      did.append(" -> ").append(state);
      if (state.equals("0A000")) {
        run(client, "ROLLBACK TO s");
        run(plain, "ROLLBACK TO s");
        continue;
      }
      assertThat(attempt(plain, sql)).as(did.toString()).isEqualTo(state);
      if (!state.isEmpty() || random.nextInt(8) == 0) {
        run(client, "ROLLBACK TO s");
        run(plain, "ROLLBACK TO s");
      } else if (random.nextBoolean()) {
        run(client, "RELEASE s");
        run(plain, "RELEASE s");
      }
    }
    String end = random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT";
    run(client, end);
    run(plain, end);
    String all =
        "SELECT tenant_id || ' ' || user_id || ' ' || email || ' ' || coalesce(name, '') FROM"
            + " users";
    assertThat(rows(client, all))
        .as(did.toString())
        .containsExactlyInAnyOrderElementsOf(rows(plain, all));
    entriesAreTrue();
  }

  private static String statement(Random random) {
    String tenant = TENANTS.get(random.nextInt(4));
    int user = random.nextInt(3);
    String email = "k" + random.nextInt(9);
    return switch (random.nextInt(12)) {
      case 0, 1 ->
          "UPDATE users SET email = '%s' WHERE user_id = %d AND tenant_id = %s"
              .formatted(email, user, tenant);
      case 2 -> "DELETE FROM users WHERE tenant_id = %s AND user_id = %d".formatted(tenant, user);
      case 3 -> "DELETE FROM users WHERE user_id = %d AND name = 'old'".formatted(user);
      case 4 -> "UPDATE users SET name = 'old' WHERE user_id = " + user;
      case 5, 6, 7, 8 ->
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s'), (%s, %d, 'k%d')%s"
              .formatted(
                  tenant,
                  user,
                  email,
                  TENANTS.get(random.nextInt(4)),
                  random.nextInt(3),
                  random.nextInt(9),
                  conflict(random));
      case 9 ->
          "INSERT INTO users (tenant_id, user_id, email) SELECT tenant_id, user_id + 1, email || '%d'"
                  .formatted(random.nextInt(3))
              + " FROM users WHERE user_id = "
              + user
              + conflict(random);
      default ->
          "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
              .formatted(tenant, user, email);
    };
  }

  private static String conflict(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> " ON CONFLICT DO NOTHING";
      case 2 -> " ON CONFLICT (tenant_id, user_id) DO NOTHING";
      default -> " ON CONFLICT (user_id, tenant_id) DO UPDATE SET name = EXCLUDED.email";
    };
  }

  private static String attempt(Connection client, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(client, sql));
    String state = error == null ? "" : error.getSQLState();
    // Of two errors of one statement (a row updated twice, a duplicate) either may come first.
    return state.equals("21000") ? "23505" : state;
  }

  // --- the client ------------------------------------------------------------------------------

  private static String values(int rows) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < rows; i++) {
      values.add("(%s, %d, 'm%d')".formatted(TENANTS.get(i % 4), i, i));
    }
    return String.join(", ", values);
  }

  private static void entriesAreTrue() {
    Map<String, String> expected = new TreeMap<>();
    shards
        .owners()
        .forEach(
            (email, tenants) -> {
              assertThat(tenants).as(email).hasSize(1);
              expected.put(email, tenants.get(0));
            });
    assertThat(new TreeMap<>(shards.entries())).isEqualTo(expected);
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

  private static SQLException fails(Connection client, String sql, String state) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    assertThat(error.getSQLState()).as(sql + ": " + error.getMessage()).isEqualTo(state);
    return error;
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }
}
