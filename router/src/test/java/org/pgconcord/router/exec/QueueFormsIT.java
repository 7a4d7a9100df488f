package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;

/**
 * Jobs over three shards that are taken, changed and deleted by a query which runs first
 * (docs/decisions/0034).
 */
class QueueFormsIT {
  private static final String DOCUMENT =
      """
      {"authoritative_shard_group": "meta",
       "shard_indexes": {"tenant": {"type": "modulo", "columns": ["tenant_id"],
         "index_params": {"modulus": 6}}},
       "shard_groups": [
         {"uid": "meta", "key_ranges": [{"shard_uid": "shard-a"}]},
         {"uid": "data", "default_shard_index": "tenant", "key_ranges": [
           {"shard_uid": "shard-a", "end": "2"},
           {"shard_uid": "shard-b", "start": "2", "end": "4"},
           {"shard_uid": "shard-c", "start": "4"}]}],
       "databases": {"app": {
         "global_secondary_indexes": {
           "by_code": {"schema": "public", "table": "jobs_by_code", "owner_table": "jobs",
             "columns": ["code"], "unique": true, "gsi_mode": "extended"},
           "by_mail": {"schema": "public", "table": "people_by_mail", "owner_table": "people",
             "columns": ["mail"], "unique": true}},
         "schemas": {"public": {"tables": {
           "jobs": {"shard_group": "data", "secondary_indexes": [
             {"name": "by_code", "columns": ["code"]}]},
           "people": {"shard_group": "data", "secondary_indexes": [
             {"name": "by_mail", "columns": ["mail"]}]},
           "limits": {"shard_group": "meta"},
           "jobs_by_code": {"shard_group": "meta"},
           "people_by_mail": {"shard_group": "meta"}}}}}}}
      """;

  private static final List<String> DDL =
      List.of(
          "CREATE TYPE mood AS ENUM ('new', 'busy', 'done')",
          "CREATE TABLE jobs (id bigint PRIMARY KEY, tenant_id int NOT NULL, code text NOT NULL,"
              + " mood mood NOT NULL DEFAULT 'new', worker int, UNIQUE (tenant_id, code))",
          "CREATE TABLE people (tenant_id int, id bigint, mail text NOT NULL, name text, other text COLLATE \"C\","
              + " PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, mail))",
          "CREATE TABLE limits (name text PRIMARY KEY, n bigint)");

  private static DeclaredRouter router;

  @BeforeAll
  static void start() throws SQLException {
    router = new DeclaredRouter(3, DOCUMENT, DDL);
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  @BeforeEach
  void thirtyJobs() throws SQLException {
    for (ShardId shard : router.cluster.shards()) {
      router.direct(shard, "TRUNCATE jobs, people, limits");
    }
    try (Connection admin = router.cluster.asSuperuser(router.cluster.shards().get(0));
        Connection client = router.connect("simple")) {
      rows(admin, "TRUNCATE jobs_by_code, people_by_mail");
      rows(
          client, "INSERT INTO jobs (id, tenant_id, code) VALUES " + list("(%1$d, %1$d, 'c%1$d')"));
      rows(client, "INSERT INTO people VALUES " + list("(%1$d, %1$d, 'm%1$d', 'old')"));
      rows(client, "INSERT INTO limits VALUES ('most', 3)");
    }
  }

  private static String list(String format) {
    return IntStream.range(0, 30).mapToObj(format::formatted).collect(Collectors.joining(", "));
  }

  // --- queues ----------------------------------------------------------------------------------

  /** Each of the usual ways to take jobs, by four workers at once. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE jobs SET mood = 'busy', worker = %d WHERE id IN (SELECT id FROM jobs WHERE mood = 'new' ORDER BY id LIMIT 3 FOR UPDATE SKIP LOCKED) RETURNING id",
        "UPDATE jobs SET mood = 'busy', code = code || 'x', worker = %d WHERE id = (SELECT id FROM jobs WHERE mood = 'new' ORDER BY id LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) RETURNING id",
        "WITH picked AS (SELECT id FROM jobs WHERE mood = 'new' LIMIT 2 FOR UPDATE SKIP LOCKED) UPDATE jobs j SET mood = 'busy', worker = %d FROM picked WHERE j.id = picked.id RETURNING j.id",
        "DELETE FROM jobs USING (SELECT id FROM jobs ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED) p WHERE jobs.id = p.id AND %d >= 0 RETURNING jobs.id"
      })
  void noJobIsTakenTwiceAndNoneIsLost(String take) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<String>>> workers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        String sql = take.formatted(i);
        workers.add(() -> drain(sql));
      }
      List<String> taken = new ArrayList<>();
      for (Future<List<String>> worker : threads.invokeAll(workers, 120, TimeUnit.SECONDS)) {
        taken.addAll(worker.get());
      }
      assertThat(taken).hasSize(30).doesNotHaveDuplicates();
    } finally {
      threads.shutdownNow();
    }
    assertThat(router.violations()).isEmpty();
    try (Connection client = router.connect("simple")) {
      assertThat(rows(client, "SELECT id FROM jobs WHERE mood = 'new'")).isEmpty();
    }
  }

  /** Until three times nothing is left: what another one has locked may be given back. */
  private static List<String> drain(String sql) throws SQLException {
    List<String> taken = new ArrayList<>();
    try (Connection client = router.connect("extended")) {
      for (int empty = 0; empty < 3; ) {
        List<String> some = rows(client, sql);
        empty = some.isEmpty() ? empty + 1 : 0;
        taken.addAll(some);
      }
    }
    return taken;
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void whatWasTakenStaysLockedUntilTheEnd(String mode) throws SQLException {
    String take =
        "UPDATE jobs SET worker = 1 WHERE id IN (SELECT id FROM jobs ORDER BY id LIMIT 4 FOR UPDATE SKIP LOCKED) RETURNING id";
    try (Connection client = router.connect(mode);
        Connection other = router.connect(mode)) {
      rows(client, "BEGIN");
      assertThat(rows(client, take)).containsExactlyInAnyOrder("0", "1", "2", "3");
      assertThat(rows(other, take)).containsExactlyInAnyOrder("4", "5", "6", "7");
      rows(client, "ROLLBACK");
      assertThat(rows(other, take)).containsExactlyInAnyOrder("0", "1", "2", "3");
      assertThat(rows(client, "SELECT count(*) FROM jobs WHERE worker = 1")).containsExactly("8");
    }
  }

  /** Only the shards that have the rows are written: their commits are all there are. */
  @Test
  void theKeyOfTheTableLeadsToTheShardsOfItsRows() throws SQLException {
    try (Connection client = router.connect("simple")) {
      rows(client, "SET pgconcord.tx_mode = single");
      assertThat(
              rows(
                  client,
                  "DELETE FROM people WHERE (tenant_id, id) IN (SELECT tenant_id, id FROM people WHERE tenant_id = 2 ORDER BY id LIMIT 1) RETURNING id"))
          .containsExactly("2");
    }
    assertThat(router.violations()).isEmpty();
  }

  // --- other queries ---------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE jobs SET worker = (SELECT max(id) FROM people) WHERE id < 2 RETURNING worker | [29, 29]",
        "DELETE FROM jobs WHERE id < (SELECT n FROM limits) RETURNING id | [0, 1, 2]",
        "UPDATE limits SET n = (SELECT count(*) FROM jobs WHERE mood = 'new') RETURNING n | [30]",
        "UPDATE jobs SET (worker, code) = (SELECT 7, max(mail) FROM people) WHERE id = 3 RETURNING code | [m9]",
        "UPDATE jobs SET mood = (SELECT max(mood) FROM jobs) WHERE mood IN (SELECT mood FROM jobs) AND id = 1 RETURNING mood | [new]",
        "DELETE FROM jobs WHERE code IN (SELECT code FROM jobs WHERE id IN (4, 5)) RETURNING id | [4, 5]",
        "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE id < 0) RETURNING id | []",
        "UPDATE people SET name = 'n' WHERE id = (SELECT max(worker) FROM jobs) RETURNING id | []",
        "UPDATE people SET name = 'n' WHERE id = (SELECT max(id) - 1 FROM jobs) RETURNING mail | [m28]",
        "DELETE FROM people WHERE other IN (SELECT other FROM people) RETURNING id | []",
        "DELETE FROM jobs WHERE code IN (SELECT name FROM people) RETURNING id | []",
        "WITH a AS (SELECT max(id) AS m FROM jobs), b AS (SELECT m - 1 AS n FROM a) UPDATE jobs SET worker = m FROM a, b WHERE id = b.n RETURNING id + worker | [57]",
        "WITH a AS (SELECT id FROM jobs WHERE id > 27) UPDATE people SET name = (SELECT count(*) FROM a)::text WHERE id IN (SELECT id FROM a) RETURNING name | [2, 2]",
        "WITH a AS (SELECT id FROM jobs WHERE id > 90) UPDATE people SET name = (SELECT count(*) FROM a)::text WHERE tenant_id = 1 RETURNING name | [0]"
      })
  void theQueryIsAnsweredFirst(String sql, String expected) throws SQLException {
    try (Connection client = router.connect("extended")) {
      assertThat(rows(client, sql).stream().sorted().toList()).hasToString(expected);
    }
    assertThat(router.violations()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "UPDATE jobs SET worker = 1 WHERE id = (SELECT id FROM people) | 21000",
        "UPDATE jobs SET worker = (SELECT id FROM people) | 21000",
        "UPDATE jobs SET worker = 1 WHERE id IN (SELECT id, mail FROM people) | 42601",
        "UPDATE jobs SET worker = 1 WHERE id IN (SELECT nothing FROM people) | 42703",
        "DELETE FROM jobs WHERE id NOT IN (SELECT id FROM people) | 0A000",
        "DELETE FROM jobs WHERE NOT id IN (SELECT id FROM people) | 0A000",
        "DELETE FROM jobs WHERE NOT EXISTS (SELECT 1 FROM people p WHERE p.id = jobs.id) | 0A000",
        "DELETE FROM jobs WHERE id IN (SELECT p.id FROM people p WHERE p.mail = jobs.code) | 0A000",
        "DELETE FROM jobs WHERE id IN (SELECT worker FROM people) | 0A000",
        "DELETE FROM jobs WHERE code IN (SELECT other FROM people) | 0A000",
        "DELETE FROM jobs WHERE code < (SELECT max(other) FROM people) | 0A000",
        "DELETE FROM jobs WHERE code = (SELECT name COLLATE \"C\" FROM people LIMIT 1) | 0A000",
        "UPDATE people SET name = 'x' WHERE mail IN (SELECT mail FROM people LIMIT 1) | 0A000",
        "UPDATE jobs SET tenant_id = (SELECT max(tenant_id) FROM people) | 0A000",
        "WITH p AS (SELECT mood FROM jobs LIMIT 1) UPDATE jobs SET worker = 1 FROM p WHERE jobs.mood = p.mood | 0A000"
      })
  void whatIsRefusedOrWrongChangesNothing(String sql, String state) throws SQLException {
    try (Connection client = router.connect("simple")) {
      assertThat(catchThrowableOfType(SQLException.class, () -> rows(client, sql)).getSQLState())
          .isEqualTo(state);
      assertThat(rows(client, "SELECT count(*) - count(worker) FROM jobs")).containsExactly("30");
    }
  }

  @Test
  void parametersAreTheClientsWhereverTheyStand() throws SQLException {
    String sql =
        "UPDATE jobs SET worker = ? WHERE id IN (SELECT id FROM jobs WHERE code > ? ORDER BY id LIMIT ? FOR UPDATE) AND id <> ? RETURNING id, worker";
    try (Connection client = router.connect("extended");
        PreparedStatement statement = client.prepareStatement(sql)) {
      client.setAutoCommit(false);
      statement.setFetchSize(2);
      for (int round = 1; round < 8; round++) {
        statement.setInt(1, round);
        statement.setString(2, "c2");
        statement.setLong(3, round);
        statement.setInt(4, 3);
        List<String> found = new ArrayList<>();
        try (ResultSet result = statement.executeQuery()) {
          while (result.next()) {
            found.add(result.getInt(1) + "|" + result.getInt(2));
          }
        }
        assertThat(found).hasSize(round > 1 ? round - 1 : 0).allMatch(r -> !r.startsWith("3|"));
      }
      client.rollback();
    }
  }

  @Test
  void explainSaysWhatRunsFirst() throws SQLException {
    try (Connection client = router.connect("extended")) {
      String sql = "DELETE FROM jobs WHERE id IN (SELECT id FROM people)";
      assertThat(rows(client, "EXPLAIN (ROUTER) " + sql))
          .contains("  Query", "  Then, with the values of its rows");
      assertThat(
              catchThrowableOfType(SQLException.class, () -> rows(client, "EXPLAIN ANALYZE " + sql))
                  .getSQLState())
          .isEqualTo("0A000");
    }
  }
}
