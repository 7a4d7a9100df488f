package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.CopiesRouter.COUNTRIES;
import static org.pgconcord.router.exec.CopiesRouter.RATES;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.sharding.LeaderLock;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/** Writes of reference tables through the router, over four real shards. */
class ReferenceWriteIT {
  private static CopiesRouter router;
  private static ShardId a;
  private static ShardId b;

  @BeforeAll
  static void start() throws SQLException {
    router = new CopiesRouter();
    a = router.cluster.shards().get(0);
    b = router.cluster.shards().get(1);
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  @BeforeEach
  void threeRates() throws SQLException {
    router.unmark();
    for (ShardId shard : router.cluster.shards()) {
      on(
          shard,
          "TRUNCATE users, countries, rates, keyless, audited RESTART IDENTITY",
          "INSERT INTO countries VALUES ('FI', 'Finland'), ('FR', 'France'), ('IS', 'Iceland')");
    }
    try (Connection client = router.connect()) {
      run(
          client,
          "INSERT INTO rates (code, rate, note) VALUES ('FI', 0.1, 'a'), ('FR', 0.2, 'b'), ('IS',"
              + " 0.3, NULL)");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO rates (code, rate) VALUES ('SE', random()), ('NO', random())",
        "INSERT INTO rates DEFAULT VALUES",
        "INSERT INTO rates (code, note) SELECT code, random()::text FROM countries ORDER BY"
            + " random() LIMIT 2",
        "INSERT INTO rates (id, code) OVERRIDING SYSTEM VALUE VALUES (77, 'SE')",
        "INSERT INTO rates (code, note, rate) VALUES ('FI', 'a', random()), ('SE', 'x', 1) ON"
            + " CONFLICT DO NOTHING",
        "INSERT INTO rates AS r (code, note, rate) VALUES ('FI', 'a', 5), ('SE', 'x', random()) ON"
            + " CONFLICT (code, note) DO UPDATE SET rate = r.rate + EXCLUDED.rate, seen = now()",
        "UPDATE rates SET rate = random(), seen = clock_timestamp(), token = DEFAULT",
        "UPDATE rates SET note = c.name FROM countries c WHERE c.code = rates.code AND rates.id <"
            + " 3",
        "UPDATE rates r SET tags = ARRAY['a \"b\"', 'NULL', NULL, '\\x', '{}'], feeling = 'so so',"
            + " span = '1 mon -2 days 3.5 s', doc = '{\"k\": [1, null, \"x\\\\y\"]}', raw ="
            + " '\\x00ff5c22' WHERE id = 1",
        "UPDATE rates SET note = E'tab\\t quote '' double \" back \\\\ new\\nline {,}' WHERE id = 2",
        "UPDATE rates SET note = NULL",
        "UPDATE rates SET note = '' WHERE note IS NULL",
        "UPDATE rates SET rate = 'NaN' WHERE id = 1",
        "DELETE FROM rates WHERE random() < 2 AND code <> 'FR'",
        "DELETE FROM rates USING countries c WHERE c.code = rates.code AND c.name = 'Iceland'",
        "DELETE FROM rates",
        "DELETE FROM rates WHERE id = 12345"
      })
  void everyCopyHasWhatTheLeaderHas(String sql) throws SQLException {
    try (Connection client = router.connect()) {
      run(client, sql);
    }
    assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
    assertThat(router.marked(RATES)).isEmpty();
  }

  @Test
  void settingsOfTheSessionDoNotChangeWhatIsStored() throws SQLException {
    try (Connection client = router.connect()) {
      run(client, "SET DateStyle = 'ISO, DMY'");
      run(client, "SET IntervalStyle = 'sql_standard'");
      run(client, "SET TimeZone = 'America/New_York'");
      run(client, "SET bytea_output = escape");
      run(
          client,
          "UPDATE rates SET seen = '2021-11-07 05:30:00.123456+00', span = '1 year 2 mons', raw ="
              + " '\\x005c27ff' WHERE id = 1");
      assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
      run(client, "SET extra_float_digits = -5");
      SQLException lossy =
          failure(client, "UPDATE rates SET rate = 0.1::float8 + 0.2 WHERE id = 1");
      assertThat(lossy.getSQLState()).isEqualTo("55000");
    }
    assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
  }

  @Test
  void theClientGetsItsOwnColumnsAndTheLeadersTag() throws SQLException {
    try (Connection client = router.connect();
        Statement statement = client.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE rates SET note = 'n' || id")).isEqualTo(3);
      assertThat(rows(client, "DELETE FROM rates WHERE id = 2 RETURNING code, id, twice"))
          .containsExactly("FR|2|0.4");
      assertThat(rows(client, "INSERT INTO rates (code) VALUES ('SE') RETURNING id"))
          .containsExactly("4");
    }
  }

  @ParameterizedTest
  @CsvSource({"simple,0", "extended,5", "extended,-1"})
  void parametersAndBinaryResults(String mode, int prepareThreshold) throws SQLException {
    Map<String, String> properties =
        Map.of("preferQueryMode", mode, "prepareThreshold", Integer.toString(prepareThreshold));
    try (Connection client = router.connect(properties);
        PreparedStatement insert =
            client.prepareStatement(
                "INSERT INTO rates (code, rate) VALUES (?, ?) RETURNING id, rate, seen")) {
      for (int i = 0; i < 7; i++) {
        insert.setString(1, "X" + i);
        insert.setDouble(2, 0.1 * i);
        try (ResultSet row = insert.executeQuery()) {
          assertThat(row.next()).isTrue();
          assertThat(row.getLong(1)).isEqualTo(4 + i);
          assertThat(row.getDouble(2)).isEqualTo(0.1 * i);
        }
      }
    }
    assertThat(router.checker(RATES).rows()).isEqualTo(10);
    assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
  }

  @Test
  void aTransactionSeesItsOwnRowsAndTakesAllCopiesBack() throws SQLException {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      run(client, "INSERT INTO countries VALUES ('SE', 'Sweden')");
      run(client, "UPDATE rates SET note = 'mine'");
      Savepoint savepoint = client.setSavepoint();
      run(client, "DELETE FROM countries");
      assertThat(rows(client, "SELECT 1 FROM countries")).isEmpty();
      client.rollback(savepoint);
      assertThat(rows(client, "SELECT code FROM countries WHERE code = 'SE'")).hasSize(1);
      run(client, "UPDATE countries SET name = upper(name) WHERE code = 'FI'");
      client.commit();
      run(client, "DELETE FROM rates");
      client.rollback();
    }
    assertThat(router.checker(COUNTRIES).rows()).isEqualTo(4);
    assertThat(router.checker(RATES).rows()).isEqualTo(3);
    assertThat(router.checker(COUNTRIES).violations(Set.of())).isEmpty();
    assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INSERT INTO countries SELECT code, name FROM users WHERE tenant_id = 5 |"
            + " write/reference-reads",
        "UPDATE countries SET code = 'XX' WHERE code = 'FI' | write/reference-form",
        "INSERT INTO countries VALUES ('FI', 'x') ON CONFLICT (code) DO UPDATE SET code = 'YY' |"
            + " write/reference-form",
        "INSERT INTO audited VALUES (1) | write/reference-form",
        "INSERT INTO keyless VALUES (1) | write/reference-form",
        "TRUNCATE countries | sql/truncate",
        "MERGE INTO countries c USING (VALUES ('FI')) v(k) ON c.code = v.k WHEN MATCHED THEN DELETE"
            + " | sql/merge",
        "WITH x AS (DELETE FROM countries RETURNING code) SELECT * FROM x | write/cte",
        "EXPLAIN ANALYZE DELETE FROM countries | explain/needs-router"
      })
  void whatIsRefused(String sql, String code) throws SQLException {
    try (Connection client = router.connect()) {
      assertThat(failure(client, sql).getMessage()).contains(code);
    }
    assertThat(router.checker(COUNTRIES).violations(Set.of())).isEmpty();
  }

  @Test
  void onlyReadCommittedWrites() throws SQLException {
    try (Connection client = router.connect()) {
      String write = "DELETE FROM countries WHERE code = 'FI'";
      client.setAutoCommit(false);
      client.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(failure(client, write).getMessage()).contains("write/reference-snapshot");
      client.rollback();
      client.setAutoCommit(true);
      run(client, "SET default_transaction_isolation = 'serializable'");
      assertThat(failure(client, write).getMessage()).contains("write/reference-snapshot");
      run(client, "RESET default_transaction_isolation");
      run(client, "SET pgconcord.tx_mode = single");
      assertThat(failure(client, write).getMessage()).contains("tx/second-shard");
    }
    assertThat(router.checker(COUNTRIES).rows()).isEqualTo(3);
  }

  @Test
  void aCopyThatDiffersIsMetBeforeAnythingCommits() throws SQLException {
    on(b, "UPDATE countries SET name = 'Atlantis' WHERE code = 'IS'");
    try (Connection client = router.connect()) {
      run(client, "UPDATE countries SET name = 'France!' WHERE code = 'FR'");
      assertThat(router.marked(COUNTRIES)).isEmpty();

      SQLException differs = failure(client, "DELETE FROM countries WHERE code = 'IS'");

      assertThat(differs.getSQLState()).isEqualTo("55000");
      assertThat(differs.getMessage()).contains("reference/copies-differ");
      assertThat(router.marked(COUNTRIES)).containsExactly(b.uid());
      assertThat(router.checker(COUNTRIES).rows()).isEqualTo(3);
      assertThat(rows(client, "SELECT name FROM countries WHERE code = 'IS'"))
          .containsExactly("Iceland");
      on(b, "INSERT INTO countries VALUES ('NO', 'Norway')");
      router.unmark();
      assertThat(failure(client, "INSERT INTO countries VALUES ('NO', 'x')").getSQLState())
          .isEqualTo("55000");
      assertThat(router.marked(COUNTRIES)).containsExactly(b.uid());
    }
  }

  @Test
  void aWriterWaitsForTheLeadersLockNoLongerThanItsTimeout() throws SQLException {
    try (Connection holder = router.cluster.asOwner(a);
        Connection client = router.connect()) {
      holder.setAutoCommit(false);
      run(holder, "SELECT pg_advisory_xact_lock(%d)".formatted(LeaderLock.of("app", COUNTRIES)));
      run(client, "SET lock_timeout = '200ms'");
      assertThat(failure(client, "DELETE FROM countries").getSQLState()).isEqualTo("55P03");
      assertThat(rows(client, "SELECT 1 FROM countries")).hasSize(3);
      assertThat(rows(client, "SHOW lock_timeout")).containsExactly("200ms");
      holder.rollback();
      run(client, "DELETE FROM countries");
    }
    assertThat(router.checker(COUNTRIES).rows()).isZero();
    assertThat(router.checker(COUNTRIES).violations(Set.of())).isEmpty();
  }

  /** The copy's COMMIT waits for a standby that never comes; what happens meanwhile is ours. */
  @ParameterizedTest
  @ValueSource(strings = {"leader", "copy"})
  void aBackendLostBetweenTheCommitsLeavesAMark(String victim) throws Exception {
    try (Connection client = router.connect()) {
      client.setAutoCommit(false);
      run(client, "INSERT INTO countries VALUES ('SE', 'Sweden')");
      holdCommits(true);
      Thread commit = new Thread(() -> commit(client));
      commit.start();
      awaitHeldCommit();
      terminate(victim.equals("leader") ? a : b);
      if (victim.equals("leader")) {
        holdCommits(false);
      }
      commit.join();
    } finally {
      holdCommits(false);
    }

    assertThat(router.marked(COUNTRIES)).contains(b.uid());
    assertThat(told.getSQLState()).isEqualTo(victim.equals("leader") ? "2D000" : "08007");
    Set<ShardId> marked = router.epochs.current().copies().of(copied(COUNTRIES));
    assertThat(router.checker(COUNTRIES).violations(marked)).isEmpty();
    assertThat(router.checker(COUNTRIES).violations(Set.of())).isNotEmpty();
    try (Connection client = router.connect()) {
      assertThat(rows(client, "SELECT 1 FROM countries WHERE code = 'SE'")).isEmpty();
    }
  }

  private SQLException told = new SQLException();

  private void commit(Connection client) {
    try {
      client.commit();
    } catch (SQLException e) {
      told = e;
    }
  }

  private static org.pgconcord.config.catalog.CopiedTable copied(TableName table) {
    return new org.pgconcord.config.catalog.CopiedTable("app", table);
  }

  private static void holdCommits(boolean hold) throws SQLException {
    try (Connection admin = router.cluster.asSuperuser(b)) {
      run(admin, "SET synchronous_commit = local");
      run(
          admin,
          "ALTER SYSTEM SET synchronous_standby_names = '%s'".formatted(hold ? "nobody" : ""));
      run(admin, "SELECT pg_reload_conf()");
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () ->
                  rows(admin, "SHOW synchronous_standby_names")
                      .equals(List.of(hold ? "nobody" : "")));
    }
  }

  private static void awaitHeldCommit() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              try (Connection admin = router.cluster.asSuperuser(b)) {
                return !rows(admin, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                    .isEmpty();
              }
            });
  }

  private static void terminate(ShardId shard) throws SQLException {
    try (Connection admin = router.cluster.asSuperuser(shard)) {
      run(
          admin,
          "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'demo'");
    }
  }

  private static SQLException failure(Connection connection, String sql) {
    return catchThrowableOfType(SQLException.class, () -> run(connection, sql));
  }

  private static void on(ShardId shard, String... statements) throws SQLException {
    try (Connection owner = router.cluster.asOwner(shard)) {
      for (String each : statements) {
        run(owner, each);
      }
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> rows(Connection connection, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
          values.add(row.getString(i));
        }
        rows.add(String.join("|", values));
      }
    }
    return rows;
  }
}
