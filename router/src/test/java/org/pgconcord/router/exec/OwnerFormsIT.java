package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.router.tx.Shards;

/**
 * ON CONFLICT and INSERT ... SELECT on the owner of an index: its entries are those of its rows.
 */
class OwnerFormsIT {
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
  void empty() {
    shards.empty();
    router.publish(GsiState.ENABLED);
  }

  @AfterEach
  void entriesAreThoseOfTheRows() {
    Map<String, String> expected = new TreeMap<>();
    shards.owners().forEach((email, tenants) -> expected.put(email, String.join(",", tenants)));
    assertThat(new TreeMap<>(shards.entries())).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aRowThatIsUpdatedInsteadKeepsItsEntry(String mode) throws SQLException {
    String upsert =
        "INSERT INTO users VALUES (%s, 1, '%s', '%s') ON CONFLICT (tenant_id, user_id) DO UPDATE"
            + " SET name = EXCLUDED.name RETURNING email || ' ' || name";
    try (Connection client = router.connect(mode)) {
      for (String tenant : List.of(ON_A, ON_B)) {
        assertThat(rows(client, upsert.formatted(tenant, "e" + tenant, "one")))
            .containsExactly("e" + tenant + " one");
        assertThat(rows(client, upsert.formatted(tenant, "other", "two")))
            .containsExactly("e" + tenant + " two");
        run(client, "BEGIN");
        run(client, "DELETE FROM users WHERE tenant_id = " + tenant);
        assertThat(rows(client, upsert.formatted(tenant, "f" + tenant, "three")))
            .containsExactly("f" + tenant + " three");
        assertThat(rows(client, upsert.formatted(tenant, "f" + tenant, "four"))).hasSize(1);
        run(client, "COMMIT");
      }
      run(client, "DELETE FROM users WHERE user_id = 1");
    }
  }

  @Test
  void rowsThatAreLeftOutMakeNoEntry() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "INSERT INTO users VALUES (%s, 1, 'a'), (%s, 1, 'b')".formatted(ON_A, ON_B));
      String values =
          "INSERT INTO users VALUES (%1$s, 1, 'x'), (%1$s, 2, 'c'), (%2$s, 1, 'y'), (%2$s, 2, 'd')"
              .formatted(ON_A, ON_B);
      assertThat(
              rows(client, values + " ON CONFLICT (tenant_id, user_id) DO NOTHING RETURNING email"))
          .containsExactlyInAnyOrder("c", "d");
      assertThat(
              rows(
                  client,
                  values.replace("'x'", "'z'")
                      + " ON CONFLICT ON CONSTRAINT users_pkey DO UPDATE SET name = EXCLUDED.email"
                      + " WHERE users.user_id = 1 RETURNING email, name"))
          .containsExactlyInAnyOrder("a", "b");
    }
  }

  /** The conflict of another index is an error, as on one server. */
  @Test
  void anotherTenantsValueIsADuplicate() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(client, "INSERT INTO users VALUES (%s, 1, 'a')".formatted(ON_A));
      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () ->
                  run(
                      client,
                      "INSERT INTO users VALUES (%s, 1, 'a') ON CONFLICT (tenant_id, user_id) DO NOTHING"
                          .formatted(ON_B)));
      assertThat(error.getSQLState()).isEqualTo("23505");
    }
  }

  // --- rows in the way that belong to another shard key ----------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aRowWhoseValueIsTakenElsewhereIsLeftOut(String mode) throws SQLException {
    try (Connection client = router.connect(mode)) {
      run(client, "INSERT INTO users VALUES (%s, 1, 'a'), (%s, 1, 'b')".formatted(ON_A, ON_B));
      for (String target : List.of("", "(email) ")) {
        for (String row : List.of("(%s, 2, 'a', 'x')", "(%s, 2, 'b', 'x')")) {
          for (String tenant : List.of(ON_A, ON_B)) {
            String sql = "INSERT INTO users VALUES " + row.formatted(tenant);
            assertThat(rows(client, sql + " ON CONFLICT " + target + "DO NOTHING RETURNING name"))
                .as(sql)
                .isEmpty();
          }
        }
      }
      String both =
          "INSERT INTO users VALUES (%1$s, 3, 'c'), (%1$s, 4, 'b'), (%2$s, 3, 'c'), (%2$s, 4, 'd')"
                  .formatted(ON_A, ON_B)
              + " ON CONFLICT DO NOTHING";
      run(client, "BEGIN");
      assertThat(rows(client, both + " RETURNING email")).containsExactly("c", "d");
      assertThat(rows(client, both + " RETURNING email")).isEmpty();
      run(client, "ROLLBACK");
      assertThat(shards.owners()).containsOnlyKeys("a", "b");
      try (Statement statement = client.createStatement()) {
        assertThat(statement.executeUpdate(both)).isEqualTo(2);
        assertThat(statement.executeUpdate(both)).isZero();
      }
    }
  }

  /** The shard's index over shard key and value finds the row of the same tenant. */
  @Test
  void byTheIndexedColumnTheSameTenantsRowIsUpdated() throws SQLException {
    String upsert =
        "INSERT INTO users VALUES (%s, %d, 'a', '%s') ON CONFLICT (email) DO UPDATE SET name ="
            + " EXCLUDED.name RETURNING user_id || ' ' || name";
    try (Connection client = router.connect("extended")) {
      assertThat(rows(client, upsert.formatted(ON_B, 1, "one"))).containsExactly("1 one");
      assertThat(rows(client, upsert.formatted(ON_B, 2, "two"))).containsExactly("1 two");
      SQLException error =
          catchThrowableOfType(
              SQLException.class, () -> rows(client, upsert.formatted(ON_A, 1, "three")));
      assertThat(error.getSQLState()).isEqualTo("0A000");
      assertThat(error.getMessage()).contains("another shard key");
      assertThat(rows(client, "SELECT name FROM users")).containsExactly("two");
    }
  }

  @Test
  void whoMeetsAValueThatIsBeingWrittenWaitsForItsEnd() throws Exception {
    String insert = "INSERT INTO users VALUES (%s, 1, 'a') ON CONFLICT DO NOTHING";
    for (String end : List.of("COMMIT", "ROLLBACK")) {
      try (Connection first = router.connect("simple");
          Connection second = router.connect("simple")) {
        run(first, "BEGIN");
        assertThat(count(first, insert.formatted(ON_A))).isEqualTo(1);
        CompletableFuture<Integer> other =
            CompletableFuture.supplyAsync(() -> counted(second, insert.formatted(ON_B)));
        await()
            .until(
                () ->
                    shards
                        .ask(
                            A,
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
                        .equals("1"));
        run(first, end);
        assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo(end.equals("COMMIT") ? 0 : 1);
        run(first, "DELETE FROM users");
      }
    }
  }

  /** However many try, each value gets one row, and just one statement says that it made it. */
  @Test
  void eachValueIsInsertedOnce() throws Exception {
    int values = 30;
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    for (int writer = 0; writer < 4; writer++) {
      String tenant = tenantOf(writer % 2 == 0 ? A : B, writer);
      writers.add(CompletableFuture.supplyAsync(() -> insertAll(tenant, values), threads));
    }
    int inserted = 0;
    for (CompletableFuture<Integer> writer : writers) {
      inserted += writer.get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertThat(inserted).isEqualTo(values);
    assertThat(shards.owners()).hasSize(values);
  }

  private static int insertAll(String tenant, int values) {
    int inserted = 0;
    try (Connection client = router.connect("simple")) {
      for (int value = 0; value < values; value += 2) {
        inserted +=
            count(
                client,
                "INSERT INTO users VALUES (%1$s, %2$d, 'v%2$d'), (%1$s, %3$d, 'v%3$d') ON CONFLICT DO NOTHING"
                    .formatted(tenant, value, value + 1));
      }
      return inserted;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int counted(Connection client, String sql) {
    try {
      return count(client, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int count(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  @Test
  void rowsOfASelectGetEntries() throws SQLException {
    try (Connection client = router.connect("simple")) {
      run(
          client,
          "INSERT INTO users VALUES (%s, 1, 'a'), (%s, 1, 'b'), (%s, 1, 'c')"
              .formatted(ON_A, ON_B, tenantOf(B, 1)));
      assertThat(
              rows(
                  client,
                  "INSERT INTO users SELECT tenant_id, user_id + 1, email || '2' FROM users"
                      + " RETURNING email"))
          .containsExactlyInAnyOrder("a2", "b2", "c2");
      run(
          client,
          "INSERT INTO users (tenant_id, user_id, email) SELECT %s, 7, code FROM countries"
                  .formatted(ON_B)
              + " ON CONFLICT (tenant_id, user_id) DO NOTHING");
      assertThat(shards.owners()).hasSize(7);
      SQLException error =
          catchThrowableOfType(
              SQLException.class,
              () -> run(client, "INSERT INTO users SELECT tenant_id, 9, 'same' FROM users"));
      assertThat(error.getSQLState()).isEqualTo("23505");
    }
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
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
