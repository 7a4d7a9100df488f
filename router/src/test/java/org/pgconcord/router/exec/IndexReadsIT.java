package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.DeclaredRouter.rows;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.statistics.ColumnStatistics;
import org.pgconcord.config.statistics.EntryStatistics;
import org.pgconcord.config.statistics.IndexStatistics;
import org.pgconcord.config.statistics.StatisticsReader;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.testkit.cluster.ClusterRoles;

/**
 * Reads that extended indexes lead: lists and arrays of keys, and joins with tables that follow the
 * owner. Each answers as one plain server with all rows.
 */
class IndexReadsIT {
  private static final int EMAILS = 24;
  private static final List<String> JOINS =
      List.of(
          "SELECT u.name, o.label FROM users u JOIN orders o USING (tenant_id) WHERE u.email = %s",
          "SELECT u.name, o.label FROM users u LEFT JOIN orders o ON o.tenant_id = u.tenant_id AND"
              + " o.order_id = u.user_id WHERE u.email = %s",
          "SELECT count(*), max(o.label) FROM orders o JOIN users u ON u.tenant_id = o.tenant_id"
              + " WHERE u.email = %s",
          "SELECT o.label, count(*) FROM users u, orders o WHERE o.tenant_id = u.tenant_id AND"
              + " email = %s GROUP BY o.label ORDER BY 2 DESC, 1 LIMIT 3",
          "SELECT u.name, c.name FROM users u LEFT JOIN countries c ON c.code = u.city"
              + " WHERE u.email = %s",
          "SELECT v.email FROM users u JOIN users v ON v.tenant_id = u.tenant_id WHERE u.email = %s",
          "SELECT DISTINCT o.label FROM users u JOIN orders o USING (tenant_id)"
              + " WHERE u.email = %s AND o.order_id < 3 ORDER BY 1");
  private static final List<String> LISTS =
      List.of(
          "SELECT * FROM users WHERE email IN (%s)",
          "SELECT user_id, email FROM users WHERE email = ANY (ARRAY[%s]::text[]) AND user_id > 2",
          "SELECT u.email AS e FROM users u WHERE u.email IN (%s)",
          "SELECT email || 'x' FROM users WHERE email IN (%s)",
          "SELECT count(*) FROM users WHERE email IN (%s)",
          "SELECT email FROM users WHERE email IN (%s) ORDER BY 1",
          "SELECT count(*) FROM users u(email, user_id, a) WHERE email > 0 AND email = 4 AND a IN (%s)");
  private static final List<String> SEATS =
      List.of(
          "SELECT email FROM users WHERE (floor, seat) IN (%s)",
          "SELECT email FROM users WHERE floor = ANY ('{1,2}') AND seat IN ('s1', 's2', NULL)",
          "SELECT u.email, o.label FROM users u JOIN orders o USING (tenant_id)"
              + " WHERE (u.floor, u.seat) = (1, 's2')");
  private static final List<String> CITIES =
      List.of(
          "SELECT email FROM users WHERE city IN (%s)",
          "SELECT u.email, o.order_id FROM users u JOIN orders o USING (tenant_id)"
              + " WHERE u.city = 'Oulu'",
          "SELECT u.email, o.order_id FROM users u JOIN orders o USING (tenant_id)"
              + " WHERE u.city IN (%s)",
          "SELECT count(*) FROM users WHERE city = ANY ('{Oulu, \"Turku\"}')",
          "SELECT email FROM users WHERE city IN ('Oulu', 'Oulu', 'nowhere')");

  /** What has to be put together; its fetches are led. */
  private static final List<String> GATHERED =
      List.of(
          "SELECT count(*), max(name), min(email) FROM users WHERE email IN (%s)",
          "SELECT city, count(*) FROM users WHERE email IN (%s) GROUP BY city",
          "SELECT email FROM users WHERE email IN (%s) AND user_id < 3 ORDER BY name, email LIMIT 2",
          "SELECT DISTINCT city FROM users WHERE email IN (%s)",
          "SELECT u.email, o.label FROM users u JOIN orders o ON o.order_id = u.user_id"
              + " WHERE u.email IN (%s)",
          "SELECT count(*), max(o.label) FROM users u JOIN orders o ON o.tenant_id = u.tenant_id"
              + " WHERE u.email IN (%s)",
          "SELECT u.email, o.label FROM orders o LEFT JOIN users u ON u.user_id = o.order_id"
              + " AND u.email IN (%s)",
          "SELECT o.label FROM orders o WHERE o.order_id IN"
              + " (SELECT user_id FROM users WHERE email IN (%s))",
          "SELECT label FROM orders EXCEPT SELECT name FROM users WHERE email IN (%s)",
          "WITH few AS (SELECT * FROM users WHERE email IN (%s)) SELECT s.email, t.email FROM few s"
              + " JOIN few t ON t.user_id = s.user_id",
          "SELECT u.email, v.email FROM users u JOIN users v USING (user_id) WHERE u.email IN (%s)"
              + " AND v.city = 'Oulu'",
          "SELECT x.n FROM (SELECT count(*) AS n FROM users WHERE email IN (%s)) x",
          "SELECT o.label FROM orders o WHERE o.tenant_id ="
              + " (SELECT max(tenant_id) FROM users WHERE email IN (%s))",
          "SELECT o.label FROM orders o WHERE o.tenant_id IN"
              + " (SELECT tenant_id FROM users WHERE email IN (%s) LIMIT 5) AND o.order_id > 1",
          "SELECT o.tenant_id, o.label FROM orders o WHERE o.tenant_id IN"
              + " (SELECT DISTINCT u.user_id FROM users u WHERE u.email IN (%s) LIMIT 9)");

  private static ExtendedRig rig;
  private static Connection whole;

  private Connection client;

  @BeforeAll
  static void start() throws SQLException {
    rig = new ExtendedRig();
    try (Connection admin = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      run(admin, "CREATE DATABASE whole OWNER " + ClusterRoles.OWNER);
    }
    whole = rig.router.cluster.connect(rig.shards.get(0), ClusterRoles.OWNER, "whole");
    run(whole, "CREATE TABLE users " + ExtendedRig.USERS);
    run(whole, "CREATE TABLE orders (tenant_id bigint, order_id bigint, label text)");
    run(whole, "CREATE TABLE countries (code text PRIMARY KEY, name text)");
    run(whole, "INSERT INTO countries VALUES ('FI', 'Finland'), ('FR', 'France')");
  }

  @AfterAll
  static void stop() throws SQLException {
    whole.close();
    rig.close();
  }

  @BeforeEach
  void someRows() throws SQLException {
    rig.empty();
    run(whole, "TRUNCATE users, orders");
    client = rig.router.connect("simple");
    for (int shard = 0; shard < 3; shard++) {
      for (int ordinal = 0; ordinal < 2; ordinal++) {
        long tenant = rig.tenant(shard, ordinal);
        for (int id = 1; id <= 3; id++) {
          int n = shard * 6 + ordinal * 3 + id;
          both(
              client,
              "INSERT INTO users (tenant_id, user_id, email, floor, seat, city, name) VALUES (%d,"
                      .formatted(tenant)
                  + " %d, 'e%d', %d, 's%d', %s, 'n%d')"
                      .formatted(
                          id, n, n % 4, n, List.of("'Oulu'", "'Turku'", "NULL").get(n % 3), n));
        }
        both(client, "INSERT INTO orders VALUES (%1$d, 1, 'a'), (%1$d, 2, 'b')".formatted(tenant));
      }
    }
  }

  /** A transaction that a failure left open would hold up the next test. */
  @AfterEach
  void closeClient() throws SQLException {
    if (client != null) {
      client.close();
    }
    run(whole, "ROLLBACK");
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void eachAnswersAsOneServer(String mode) throws SQLException {
    try (Connection reader = rig.router.connect(mode)) {
      for (String sql : queries(new Random(4), 2)) {
        alike(reader, sql);
      }
    }
    client.close();
  }

  @Test
  void theIndexLeadsThem() throws SQLException {
    String led = "index lookup";
    for (String sql : JOINS) {
      assertThat(plan(sql.formatted("'e1'"))).as(sql).contains("index lookup, then one shard");
    }
    assertThat(plan(LISTS.get(0).formatted("'e1', 'e2'")))
        .contains(led, "the shards that it names");
    assertThat(plan(LISTS.get(1).formatted("'e1', 'e2'"))).contains(led);
    assertThat(plan(LISTS.get(3).formatted("'e1', 'e2'")))
        .contains("only for columns of the owner");
    assertThat(plan(SEATS.get(0).formatted("(1, 's1'), (2, 's2')"))).contains(led, "by_seat");
    assertThat(plan(SEATS.get(1))).contains(led, "by_seat");
    assertThat(plan(CITIES.get(2).formatted("'Oulu', 'Turku'"))).contains(led, "by_city");
    assertThat(plan("SELECT person_id FROM people WHERE mail IN ('a', 'b')"))
        .contains("scatter", "strict");
    assertThat(
            plan(
                "SELECT u.email FROM users u JOIN orders o ON o.order_id = u.user_id"
                    + " WHERE u.email = 'e1'"))
        .contains("not joined with its owner by the shard key");
    assertThat(
            plan(
                "SELECT u.email FROM orders o LEFT JOIN users u ON u.tenant_id = o.tenant_id"
                    + " AND u.email = 'e1'"))
        .doesNotContain(led + ",");
    client.close();
  }

  @Test
  void theIndexLeadsFetches() throws SQLException {
    for (String sql : GATHERED) {
      assertThat(plan(sql.formatted("'e1', 'e2'")))
          .as(sql)
          .contains("rows gathered", "Fetch: public.users from some of", "By index: app.by_email")
          .contains("IN (shard keys found)");
    }
    assertThat(plan("SELECT max(name) FROM users WHERE floor IN (1, 2) AND seat = 's1'"))
        .contains("By index: app.by_seat");
    assertThat(plan("SELECT max(name) FROM users WHERE city = 'Oulu'"))
        .contains("By index: app.by_city");
    assertThat(plan("SELECT max(name) FROM users WHERE email IN ('a', 'b', 'c', 'd', 'e')"))
        .contains("dearer than asking all 3")
        .doesNotContain("By index");
    assertThat(plan("SELECT max(name) FROM people WHERE mail IN ('a', 'b')"))
        .contains("its gsi_mode is strict")
        .doesNotContain("By index");
    assertThat(
            plan(
                "SELECT count(*) FROM people p JOIN orders o ON o.order_id = p.person_id"
                    + " WHERE p.mail = 'a'"))
        .doesNotContain("By index");
    assertThat(
            plan(
                "SELECT count(*) FROM orders o LEFT JOIN users u ON u.user_id = o.order_id"
                    + " AND (u.email = 'a' OR u.user_id = 1)"))
        .doesNotContain("By index");
    assertThat(
            plan(
                "SELECT count(*) FROM users u LEFT JOIN orders o ON u.user_id = o.order_id"
                    + " AND u.email = 'a'"))
        .doesNotContain("By index");
    run(client, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    assertThat(plan("SELECT max(name) FROM users WHERE email IN ('a', 'b')"))
        .doesNotContain("By index");
    run(client, "ROLLBACK");
    assertThat(rows(client, "EXPLAIN (ROUTER, ANALYZE) " + GATHERED.get(0).formatted("'e1', 'e2'")))
        .anyMatch(line -> line.contains("Service role"));
    assertThat(rows(client, "EXPLAIN " + GATHERED.get(0).formatted("'e1', 'e2'")))
        .anyMatch(line -> line.contains("shard-a"))
        .noneMatch(line -> line.contains("shard-b"));
    run(client, "SET pgconcord.fanout = 'single'");
    assertThat(rows(client, "SELECT count(*) FROM users WHERE email IN ('e1', 'e2')"))
        .containsExactly("2");
    run(client, "SET pgconcord.fanout = 'multi'");
    assertThat(rows(client, "SELECT count(*) FROM users WHERE email IN ('e1', 'e7', 'e13', 'e2')"))
        .containsExactly("4");
    assertThat(WholeServer.answer(client, "SELECT count(*) FROM users")).contains("fan-out");
    client.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"extended", "extendedForPrepared"})
  void arraysOfParametersAreLookedUp(String mode) throws SQLException {
    String[][] arrays = {{"e1"}, {"e1", "e8", "e15"}, {}, {"none"}, {"e2", "e2"}, {null, "e3"}};
    try (Connection reader = rig.router.connect(mode)) {
      for (String sql :
          List.of(
              "SELECT email, user_id FROM users WHERE email = ANY (?)",
              "SELECT email FROM users WHERE city = ANY (?) OR email = ANY (?)",
              "SELECT email FROM users WHERE email = ANY (?) ORDER BY email DESC",
              "SELECT count(*), max(name) FROM users WHERE email = ANY (?)",
              "SELECT u.email, o.label FROM users u, orders o WHERE o.order_id = u.user_id AND"
                  + " u.email = ANY (?)")) {
        for (int round = 0; round < 12; round++) {
          String[] array = arrays[round % arrays.length];
          assertThat(bound(reader, sql, array)).as(sql).isEqualTo(bound(whole, sql, array));
        }
      }
    }
    client.close();
  }

  private static String bound(Connection connection, String sql, String[] array)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 1; i <= statement.getParameterMetaData().getParameterCount(); i++) {
        statement.setArray(i, connection.createArrayOf("text", array));
      }
      return WholeServer.answer(statement, sql.contains("ORDER"));
    }
  }

  @Test
  void aTransactionSeesWhatItHasWritten() throws SQLException {
    long first = rig.tenant(0, 0);
    long second = rig.tenant(1, 0);
    run(client, "BEGIN");
    run(whole, "BEGIN");
    both(
        client,
        "INSERT INTO users (tenant_id, user_id, email, city) VALUES (%d, 9, 'new', 'Oulu')"
            .formatted(second));
    both(client, "DELETE FROM users WHERE tenant_id = %d AND user_id = 1".formatted(first));
    both(
        client,
        "UPDATE users SET email = 'other' WHERE tenant_id = %d AND user_id = 2".formatted(first));
    for (String sql : JOINS) {
      for (String email : List.of("'new'", "'e1'", "'e2'", "'other'", "'e7'")) {
        alike(client, sql.formatted(email));
      }
    }
    for (String sql : LISTS) {
      alike(client, sql.formatted("'new', 'e1', 'e2', 'other', 'e7'"));
      alike(client, sql.formatted("'new', 'other'"));
      alike(client, sql.formatted("'e1', 'e2'"));
    }
    for (String sql : CITIES) {
      alike(client, sql.formatted("'Oulu', 'Turku'"));
    }
    for (String sql : GATHERED) {
      alike(client, sql.formatted("'new', 'e2', 'other'"));
      alike(client, sql.formatted("'new'"));
      alike(client, sql.formatted("'e1', 'e8'"));
    }
    run(client, "ROLLBACK");
    run(whole, "ROLLBACK");
    client.close();
  }

  // --- statistics ------------------------------------------------------------------------------

  private static EntryStatistics analyzed(String lookup) throws SQLException {
    ShardId place = rig.shards.get(0);
    try (Connection admin = rig.router.cluster.asSuperuser(place)) {
      run(admin, "ANALYZE " + lookup);
    }
    try (Connection service = rig.router.cluster.asService(place)) {
      return StatisticsReader.read(service, new TableName("public", lookup)).orElseThrow();
    }
  }

  private static void know(EntryStatistics cities, EntryStatistics louds) {
    ShardId place = rig.shards.get(0);
    rig.router.statistics =
        new IndexStatistics(
            Map.of(
                new GsiName("app", "by_city"), Map.of(place, cities),
                new GsiName("app", "by_loud"), Map.of(place, louds)));
  }

  @Test
  void statisticsChooseAmongIndexesAndAScatter() throws SQLException {
    try {
      long tenant = rig.tenant(2, 0);
      for (int id = 10; id < 40; id++) {
        both(
            client,
            "INSERT INTO users (tenant_id, user_id, email, city, name) VALUES (%d, %d, 'x%d', '%s',"
                    .formatted(tenant, id, id, id == 10 ? "Rare" : "Oulu")
                + " 'x%d')".formatted(id));
      }
      know(analyzed("users_by_city"), analyzed("users_by_loud"));

      String common = "SELECT email FROM users WHERE city = 'Oulu'";
      String rare = "SELECT email FROM users WHERE city = 'Rare'";
      String two = "SELECT email FROM users WHERE city = 'Oulu' AND loud = 'X12'";
      assertThat(plan(common))
          .contains("Route: scatter", "Cost: index app.by_city: about", "dearer than asking all 3");
      assertThat(plan(rare)).contains("Index: app.by_city", "about 1 entries on 1.0 of 3 shards");
      assertThat(plan(two))
          .contains(
              "Index: app.by_loud", "Cost: index app.by_city", "dearer than index app.by_loud");
      assertThat(plan("SELECT email FROM users WHERE email IN ('x11', 'x12', 'x13', 'x14')"))
          .contains("Index: app.by_email")
          .doesNotContain("Cost");
      for (String sql : List.of(common, rare, two)) {
        alike(client, sql);
      }
      assertThat(rows(client, "EXPLAIN (ROUTER, ANALYZE) " + common))
          .noneMatch(line -> line.contains("Service role"));
      assertThat(rows(client, "EXPLAIN (ROUTER, ANALYZE) " + rare))
          .anyMatch(line -> line.contains("Service role"));

      // Who forbids a scatter gets the index.
      run(client, "SET pgconcord.fanout = 'multi'");
      assertThat(plan(common)).contains("Index: app.by_city");
      alike(client, common);

      rig.router.statistics = IndexStatistics.NONE;
      assertThat(plan(common)).contains("Index: app.by_city").doesNotContain("Cost");
    } finally {
      rig.router.statistics = IndexStatistics.NONE;
      client.close();
    }
  }

  @Test
  void wrongStatisticsChangeNoAnswer() throws SQLException {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    Random random = new Random(seed);
    try {
      for (int round = 0; round < 4; round++) {
        know(anything(random), anything(random));
        for (String sql : queries(random, 1)) {
          assertThat(WholeServer.answer(client, sql))
              .as("seed %d: %s", seed, sql)
              .isEqualTo(WholeServer.answer(whole, sql));
        }
      }
    } finally {
      rig.router.statistics = IndexStatistics.NONE;
      client.close();
    }
  }

  private static EntryStatistics anything(Random random) {
    ColumnStatistics column =
        new ColumnStatistics(
            List.of(-1.0, -0.01, 0.0, 1.0, 1e6, -7.0).get(random.nextInt(6)),
            random.nextDouble(),
            random.nextBoolean() ? Map.of() : Map.of("Oulu", random.nextDouble() * 2, "e1", 0.0));
    return new EntryStatistics(
        List.of(0.0, 1.0, 1e9).get(random.nextInt(3)),
        random.nextBoolean()
            ? Map.of()
            : Map.of("city", column, "loud", column, "tenant_id", column));
  }

  /** Both MAINs of the move are committed, POST is not yet: the entry names the place it left. */
  @Test
  void aRowThatIsMovedIsFoundOrWaitedFor() throws SQLException {
    long from = rig.tenant(0, 0);
    long to = rig.tenant(1, 0);
    rig.router.direct(rig.shards.get(0), "DELETE FROM users WHERE email = 'e1'");
    rig.router.direct(
        rig.shards.get(1),
        "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 7, 'e1')".formatted(to));
    try (Connection post = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      run(post, "BEGIN");
      run(
          post,
          "UPDATE users_by_email SET tenant_id = %d, user_id = 7 WHERE email = 'e1'".formatted(to));
      run(post, "PREPARE TRANSACTION 'post'");
      try {
        run(client, "SET lock_timeout = 300");
        assertThat(rows(client, "SELECT tenant_id FROM users WHERE email IN ('e1', 'e2')"))
            .containsExactlyInAnyOrder(Long.toString(to), Long.toString(from));
        for (String sql :
            List.of(
                "SELECT count(*) FROM users WHERE email = 'e1'",
                "SELECT max(o.label) FROM users u JOIN orders o USING (tenant_id)"
                    + " WHERE u.email = 'e1'",
                "SELECT user_id FROM users WHERE email = 'e1'",
                "SELECT count(*) FROM users WHERE email IN ('e1', 'e2')",
                "SELECT o.label FROM users u JOIN orders o ON o.order_id = u.user_id"
                    + " WHERE u.email IN ('e1', 'e2')",
                "SELECT o.label FROM users u JOIN orders o ON o.order_id = u.user_id"
                    + " WHERE u.email = 'e1'")) {
          assertThat(WholeServer.answer(client, sql)).as(sql).startsWith("error 55P03");
        }
      } finally {
        run(post, "COMMIT PREPARED 'post'");
      }
      assertThat(rows(client, "SELECT count(*) FROM users WHERE email = 'e1'"))
          .containsExactly("1");
    }
    client.close();
  }

  /**
   * It is where its entry says when that is read, and has moved, with its entry, before the shard
   * is asked.
   */
  @Test
  void aRowThatMovesBehindTheLookupIsFollowed() throws Exception {
    long to = rig.tenant(1, 0);
    String here = "(%d, 7, 'e1', 'moved')".formatted(to);
    for (String sql :
        List.of(
            "SELECT name FROM users WHERE email = 'e1'",
            "SELECT max(name) FROM users WHERE email = 'e1'",
            "SELECT max(u.name) FROM users u JOIN countries c ON true WHERE u.email = 'e1'",
            "SELECT max(name) FROM users WHERE email IN ('e1', 'none')",
            "SELECT u.name FROM users u JOIN orders o ON o.order_id = u.user_id - 6"
                + " WHERE u.email = 'e1' LIMIT 1",
            "SELECT u.name FROM users u JOIN orders o ON o.order_id = u.user_id - 6"
                + " WHERE u.email IN ('e1', 'none') LIMIT 1",
            "SELECT DISTINCT u.name FROM orders o LEFT JOIN users u ON o.order_id = u.user_id - 6"
                + " AND u.email = 'e1'")) {
      try (Connection owner = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
        run(owner, "BEGIN");
        run(owner, "LOCK TABLE users");
        CompletableFuture<List<String>> reading =
            CompletableFuture.supplyAsync(() -> List.of(WholeServer.answer(client, sql)));
        Awaitility.await()
            .atMost(Duration.ofSeconds(60))
            .until(
                () ->
                    !rows(
                            owner,
                            "SELECT 1 FROM pg_locks WHERE NOT granted AND relation ="
                                + " 'users'::regclass")
                        .isEmpty());
        run(owner, "DELETE FROM users WHERE email = 'e1'");
        rig.router.direct(
            rig.shards.get(1),
            "INSERT INTO users (tenant_id, user_id, email, name) VALUES " + here);
        run(
            owner,
            "UPDATE users_by_email SET tenant_id = %d, user_id = 7 WHERE email = 'e1'"
                .formatted(to));
        run(owner, "COMMIT");
        assertThat(reading.get().get(0)).as(sql).contains("moved");
      }
      rig.router.direct(rig.shards.get(1), "DELETE FROM users WHERE email = 'e1'");
      try (Connection owner = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
        long from = rig.tenant(0, 0);
        run(
            owner,
            "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'e1')".formatted(from));
        run(
            owner,
            "UPDATE users_by_email SET tenant_id = %d, user_id = 1 WHERE email = 'e1'"
                .formatted(from));
      }
    }
  }

  private static final List<String> BY_ONE_KEY =
      List.of(
          "SELECT name FROM users WHERE email = 'e1'",
          "SELECT max(name) FROM users WHERE email = 'e1'");

  /** It moves on before the place to which it had moved is asked. */
  @Test
  void aRowThatMovesOnIsFollowed() throws Exception {
    long second = rig.tenant(1, 0);
    long third = rig.tenant(2, 0);
    for (String sql : BY_ONE_KEY) {
      try (Connection here = rig.router.cluster.asSuperuser(rig.shards.get(0));
          Connection there = rig.router.cluster.asSuperuser(rig.shards.get(1))) {
        run(here, "BEGIN; LOCK TABLE users");
        run(there, "BEGIN; LOCK TABLE users");
        CompletableFuture<String> reading = reading(sql);
        awaitWaiting(here, "relation = 'users'::regclass");
        run(here, "DELETE FROM users WHERE email = 'e1'");
        run(here, "UPDATE users_by_email SET tenant_id = %d WHERE email = 'e1'".formatted(second));
        run(here, "COMMIT");
        awaitWaiting(there, "relation = 'users'::regclass");
        insertMoved(2, third);
        run(here, "UPDATE users_by_email SET tenant_id = %d WHERE email = 'e1'".formatted(third));
        run(there, "COMMIT");
        assertThat(reading.get(60, TimeUnit.SECONDS)).as(sql).contains("moved");
      }
      backAgain(2);
    }
  }

  private static final String BY_TWO_KEYS =
      "SELECT string_agg(name, ',' ORDER BY name) FROM users WHERE email IN ('e1', 'e2')";

  /** Its entry names the same place before and after, and another one when that was asked. */
  @Test
  void aRowThatMovesAwayAndBackIsFollowed() throws Exception {
    long first = rig.tenant(0, 0);
    long second = rig.tenant(1, 0);
    String entry = "UPDATE users_by_email SET tenant_id = %d WHERE email = 'e1'";
    for (String sql : Stream.concat(BY_ONE_KEY.stream(), Stream.of(BY_TWO_KEYS)).toList()) {
      try (Connection here = rig.router.cluster.asSuperuser(rig.shards.get(0));
          Connection away = rig.router.cluster.asSuperuser(rig.shards.get(0));
          Connection back = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
        run(here, "BEGIN; LOCK TABLE users");
        CompletableFuture<String> reading = reading(sql);
        awaitWaiting(here, "relation = 'users'::regclass");
        run(away, "BEGIN; " + entry.formatted(second));
        run(back, "BEGIN");
        CompletableFuture<Void> next =
            CompletableFuture.runAsync(() -> ran(back, entry.formatted(first)));
        awaitWaiting(here, "locktype = 'transactionid'");
        insertMoved(1, second);
        run(here, "DELETE FROM users WHERE email = 'e1'; COMMIT");
        awaitWaiting(here, "locktype = 'tuple'");
        run(away, "COMMIT");
        next.get(60, TimeUnit.SECONDS);
        rig.router.direct(rig.shards.get(1), "DELETE FROM users WHERE email = 'e1'");
        insertMoved(0, first);
        run(back, "COMMIT");
        assertThat(reading.get(60, TimeUnit.SECONDS)).as(sql).contains("moved");
      }
      backAgain(0);
    }
  }

  private CompletableFuture<String> reading(String sql) {
    return CompletableFuture.supplyAsync(() -> WholeServer.answer(client, sql));
  }

  private static void ran(Connection connection, String sql) {
    try {
      run(connection, sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitWaiting(Connection shard, String what) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> !rows(shard, "SELECT 1 FROM pg_locks WHERE NOT granted AND " + what).isEmpty());
  }

  private static void insertMoved(int shard, long tenant) throws SQLException {
    rig.router.direct(
        rig.shards.get(shard),
        "INSERT INTO users (tenant_id, user_id, email, name) VALUES (%d, 7, 'e1', 'moved')"
            .formatted(tenant));
  }

  /** The row as it was first. */
  private static void backAgain(int shard) throws SQLException {
    rig.router.direct(rig.shards.get(shard), "DELETE FROM users WHERE email = 'e1'");
    long tenant = rig.tenant(0, 0);
    rig.router.direct(
        rig.shards.get(0),
        "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, 1, 'e1')".formatted(tenant));
    try (Connection entries = rig.router.cluster.asSuperuser(rig.shards.get(0))) {
      run(
          entries,
          "UPDATE users_by_email SET tenant_id = %d, user_id = 1 WHERE email = 'e1'"
              .formatted(tenant));
    }
  }

  /** Neither an entry nor a list is locked: the rows are, and no others. */
  @Test
  void rowsThatAnIndexNamesAreLocked() throws SQLException {
    for (String sql :
        List.of(
            "SELECT email FROM users WHERE email IN ('e1', 'e7', 'e8') FOR UPDATE",
            "SELECT email FROM users WHERE city = 'Oulu' FOR UPDATE",
            "SELECT email FROM users WHERE floor = 1 AND seat = 's1' FOR UPDATE")) {
      run(client, "BEGIN");
      List<String> named = rows(client, sql);
      List<String> free = new ArrayList<>();
      for (var shard : rig.shards) {
        free.addAll(rig.router.direct(shard, "SELECT email FROM users FOR SHARE SKIP LOCKED"));
      }
      assertThat(free).as(sql).doesNotContainAnyElementsOf(named);
      assertThat(named.size() + free.size()).as(sql).isEqualTo(18);
      assertThat(named).as(sql).isNotEmpty();
      run(client, "ROLLBACK");
    }
    client.close();
  }

  /** A list that is refused for its width is never answered short. */
  @Test
  void theWidthThatASessionAllowsIsKept() throws SQLException {
    String one = "SELECT email FROM users WHERE email IN ('e1', 'e2')";
    String two = "SELECT email FROM users WHERE email IN ('e1', 'e7')";
    String fewer = "SELECT email FROM users WHERE email IN ('e1', 'e7') AND user_id > 100";
    run(client, "SET pgconcord.fanout = 'single'");
    assertThat(rows(client, one)).hasSize(2);
    assertThat(WholeServer.answer(client, two)).startsWith("error").contains("fan-out (multi)");
    run(client, "SET pgconcord.fanout = 'multi'");
    assertThat(rows(client, two)).hasSize(2);
    assertThat(WholeServer.answer(client, fewer)).startsWith("error").contains("fan-out (scatter)");
    run(client, "SET pgconcord.fanout = 'scatter'");
    assertThat(rows(client, fewer)).isEmpty();
    client.close();
  }

  @Test
  void randomReadsBetweenWrites() throws SQLException {
    randomly(3, 12);
  }

  @Test
  @Tag("long")
  void manyRandomReadsBetweenWrites() throws SQLException {
    randomly(200, 40);
  }

  private void randomly(int rounds, int writes) throws SQLException {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    System.out.println("suite index reads count=" + rounds + " seed=" + seed);
    Random random = new Random(seed);
    for (int round = 0; round < rounds; round++) {
      for (int n = 0; n < writes; n++) {
        write(random);
      }
      boolean open = random.nextBoolean();
      if (open) {
        run(client, "BEGIN");
        run(whole, "BEGIN");
        for (int n = 0; n < 3; n++) {
          write(random);
        }
      }
      for (String sql : queries(random, 1)) {
        alike(client, sql);
      }
      if (open) {
        String end = random.nextBoolean() ? "COMMIT" : "ROLLBACK";
        run(client, end);
        run(whole, end);
      }
    }
    client.close();
    rig.entriesAreTrue("seed " + seed);
  }

  /** Only one that no duplicate key can refuse: the plain server has no unique index. */
  private void write(Random random) throws SQLException {
    long tenant = rig.tenant(random.nextInt(3), random.nextInt(2));
    int id = 1 + random.nextInt(4);
    String where = " WHERE tenant_id = %d AND user_id = %d".formatted(tenant, id);
    boolean there = !rows(whole, "SELECT 1 FROM users" + where).isEmpty();
    String email = "e" + random.nextInt(EMAILS);
    boolean taken = !rows(whole, "SELECT 1 FROM users WHERE email = '" + email + "'").isEmpty();
    String city = List.of("'Oulu'", "'Turku'", "'Vaasa'", "NULL").get(random.nextInt(4));
    if (there && random.nextInt(3) == 0) {
      both(client, "DELETE FROM users" + where);
    } else if (there && taken) {
      both(client, "UPDATE users SET city = " + city + where);
    } else if (there) {
      both(client, "UPDATE users SET email = '%s', city = %s".formatted(email, city) + where);
    } else if (!taken) {
      both(
          client,
          "INSERT INTO users (tenant_id, user_id, email, city, name) VALUES (%d, %d, '%s', %s, 'r')"
              .formatted(tenant, id, email, city));
    }
  }

  private static List<String> queries(Random random, int each) {
    List<String> queries = new ArrayList<>();
    for (int n = 0; n < each; n++) {
      JOINS.forEach(sql -> queries.add(sql.formatted(email(random))));
      LISTS.forEach(
          sql ->
              queries.add(
                  sql.formatted(
                      String.join(", ", email(random), email(random), email(random), "NULL"))));
      GATHERED.forEach(
          sql -> queries.add(sql.formatted(String.join(", ", email(random), email(random)))));
      GATHERED.forEach(sql -> queries.add(sql.formatted(email(random))));
      SEATS.forEach(
          sql -> queries.add(sql.formatted("(1, 's1'), (2, 's2'), (1, NULL), (3, 's7')")));
      CITIES.forEach(sql -> queries.add(sql.formatted("'Oulu', 'Vaasa', NULL")));
    }
    return queries;
  }

  private static String email(Random random) {
    return "'e" + random.nextInt(EMAILS) + "'";
  }

  // --- tools -----------------------------------------------------------------------------------

  private static void both(Connection client, String sql) throws SQLException {
    run(client, sql);
    run(whole, sql);
  }

  private static void alike(Connection client, String sql) {
    assertThat(WholeServer.answer(client, sql)).as(sql).isEqualTo(WholeServer.answer(whole, sql));
  }

  private String plan(String sql) throws SQLException {
    return String.join("\n", rows(client, "EXPLAIN (ROUTER) " + sql));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
