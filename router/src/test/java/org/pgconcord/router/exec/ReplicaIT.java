package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.router.exec.DeclaredRouter.rows;
import static org.pgconcord.router.exec.ReplicaRig.SLOW;
import static org.pgconcord.router.exec.ReplicaRig.address;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.settings.ShardAddress;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardProcess;
import org.pgconcord.testkit.fixture.TwoShards;
import org.postgresql.util.PSQLException;

/**
 * pgconcord.target: what goes to replicas, and that no server is read that is older than the bound,
 * or none of the shard's.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReplicaIT {
  private static ReplicaRig rig;

  /** A second replica of B, which has not got what came after the other was promoted. */
  private static ShardProcess second;

  private static String conninfo = "";

  @BeforeAll
  static void start() throws SQLException {
    rig = new ReplicaRig();
    second = rig.cluster.startReplica(TwoShards.B);
    try (Connection client = rig.router.connect()) {
      for (int tenant = 0; tenant < 8; tenant++) {
        rows(client, "INSERT INTO users VALUES (%1$d, 1, 'user%1$d@x')".formatted(tenant));
      }
      rows(client, "CREATE TABLE own (id int)");
      rows(client, "CREATE SEQUENCE counted");
    }
    for (ShardId shard : rig.cluster.shards()) {
      rig.at(
          rig.cluster.shard(shard),
          "CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE made (id"
              + " int); RETURN 1; END $$");
    }
    caughtUp("1min", "SELECT to_regclass('counted') IS NOT NULL", "t");
    caughtUp("1min", "SELECT count(*) FROM users", "8");
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  /** What is asynchronous: a replica has what the primaries had. */
  private static void caughtUp(String lag, String sql, String answer) throws SQLException {
    try (Connection client = rig.replicas(lag)) {
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(rows(client, sql)).containsExactly(answer));
    }
  }

  private static String state(Connection client, String sql) {
    try {
      rows(client, sql);
      return "";
    } catch (SQLException e) {
      return String.valueOf(e.getSQLState());
    }
  }

  private static String detail(Connection client, String sql) {
    try {
      return "answered: " + rows(client, sql);
    } catch (SQLException e) {
      return ((PSQLException) e).getServerErrorMessage().getDetail();
    }
  }

  @Test
  @Order(1)
  void everyRouteLeadsToReplicas() throws SQLException {
    String port = "inet_server_port()::text";
    try (Connection client = rig.replicas("30s")) {
      String a = Integer.toString(rig.replicaOfA.port());
      String b = Integer.toString(rig.replicaOfB.port());
      assertThat(rows(client, "SELECT " + port)).containsExactly(a);
      assertThat(rows(client, "SELECT %s FROM users".formatted(port))).hasSize(8).contains(a, b);
      assertThat(rows(client, "SELECT %s FROM users WHERE tenant_id = 1".formatted(port)))
          .hasSize(1)
          .isSubsetOf(a, b);
      assertThat(rows(client, "SELECT %s FROM countries".formatted(port)))
          .hasSize(2)
          .isSubsetOf(a, b);
      assertThat(rows(client, "SELECT email FROM users ORDER BY 1 LIMIT 2"))
          .containsExactly("user0@x", "user1@x");
      assertThat(rows(client, "SELECT email FROM users ORDER BY tenant_id")).hasSize(8);
      assertThat(rows(client, "SHOW pgconcord.target")).containsExactly("replica");
      assertThat(rows(client, "EXPLAIN (ROUTER, ANALYZE) SELECT count(*) FROM users"))
          .anyMatch(line -> line.contains("Replica of shard-b"))
          .noneMatch(line -> line.contains("Shard shard-"));
    }
  }

  @Test
  @Order(2)
  void anIndexIsNotReadOnReplicas() throws SQLException {
    String sql = "SELECT tenant_id FROM users WHERE email = 'user3@x'";
    try (Connection client = rig.replicas("30s")) {
      assertThat(rows(client, sql)).containsExactly("3");
      assertThat(rows(client, "EXPLAIN (ROUTER) " + sql))
          .anyMatch(line -> line.contains("scatter"))
          .anyMatch(line -> line.contains("entries and rows would be of different ages"))
          .anyMatch(line -> line.contains("Target: replicas that lag by 30.0 s at most"));
      assertThat(rows(client, "EXPLAIN (ROUTER, VERBOSE) " + sql))
          .anyMatch(line -> line.contains("Replica: shard-a at 127.0.0.1:"));
    }
    try (Connection client = rig.router.connect()) {
      assertThat(rows(client, "EXPLAIN (ROUTER) " + sql))
          .anyMatch(line -> line.contains("index lookup"))
          .noneMatch(line -> line.contains("Target"));
    }
  }

  @ParameterizedTest
  @Order(3)
  @CsvSource(
      delimiter = '|',
      value = {
        "INSERT INTO users VALUES (1, 2, 'new@x') | target/read-only",
        "UPDATE users SET email = 'new@x' WHERE tenant_id = 1 AND user_id = 1 | target/read-only",
        "DELETE FROM users WHERE tenant_id = 1 | target/read-only",
        "DELETE FROM users | target/read-only",
        "UPDATE countries SET name = 'x' | target/read-only",
        "INSERT INTO own VALUES (1) | target/read-only",
        "EXPLAIN (ROUTER, ANALYZE) DELETE FROM users | target/read-only",
        "EXPLAIN ANALYZE DELETE FROM users | target/read-only",
        "SELECT nextval('counted') | nextval",
        "SELECT writes() FROM users WHERE tenant_id = 1 | CREATE TABLE",
        "SELECT * FROM users WHERE tenant_id = 1 FOR UPDATE | target/read-only",
        "SELECT * FROM users FOR SHARE | target/read-only",
        "CREATE TABLE another (id int) | CREATE TABLE",
      })
  void nothingIsWritten(String sql, String words) throws SQLException {
    try (Connection client = rig.replicas("30s")) {
      assertThatThrownBy(() -> rows(client, sql))
          .hasMessageContaining(words)
          .extracting(e -> ((SQLException) e).getSQLState())
          .isEqualTo("25006");
    }
  }

  @Test
  @Order(4)
  void aTransactionHasOneTarget() throws SQLException {
    try (Connection client = rig.router.connect()) {
      rows(client, "BEGIN");
      rows(client, "SET LOCAL pgconcord.target = 'replica'");
      assertThat(rows(client, "SELECT pg_is_in_recovery()")).containsExactly("t");
      assertThat(rows(client, "SELECT count(*) FROM users")).containsExactly("8");
      rows(client, "SET LOCAL pgconcord.target = 'primary'");
      assertThat(state(client, "SELECT 1")).isEqualTo("25001");
      rows(client, "ROLLBACK");
      assertThat(rows(client, "SELECT pg_is_in_recovery()")).containsExactly("f");

      rows(client, "BEGIN");
      rows(client, "INSERT INTO users VALUES (1, 9, 'nine@x')");
      rows(client, "SET LOCAL pgconcord.target = 'replica'");
      assertThat(state(client, "SELECT count(*) FROM users")).isEqualTo("25001");
      rows(client, "ROLLBACK");

      rows(client, "SET pgconcord.target = 'replica'");
      rows(client, "BEGIN READ WRITE");
      assertThat(state(client, "SELECT 1")).isEqualTo("25006");
      rows(client, "ROLLBACK");
      rows(client, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      assertThat(rows(client, "SELECT count(*) FROM users")).containsExactly("8");
      assertThat(rows(client, "SELECT count(*) FROM users")).containsExactly("8");
      rows(client, "COMMIT");
      assertThat(state(client, "SET pgconcord.target = 'replicas'")).isEqualTo("22023");
      assertThat(state(client, "SET pgconcord.max_replica_lag = '10'")).isEqualTo("22023");
    }
  }

  @Test
  @Order(5)
  void anIdlePrimaryIsNoLagAndAReplicaThatReceivesNothingIs() throws SQLException {
    try (Connection client = rig.replicas("1s");
        Connection patient = rig.replicas("10min");
        Connection writer = rig.router.connect()) {
      // Longer than the bound without a write.
      long begun = System.nanoTime();
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .until(() -> System.nanoTime() - begun > 1_500_000_000L);
      assertThat(rows(client, "SELECT count(*) FROM users")).containsExactly("8");

      String conninfo = rig.cutOff(rig.replicaOfB);
      for (int tenant = 100; tenant < 108; tenant++) {
        rows(writer, "INSERT INTO users VALUES (%1$d, 1, 'user%1$d@x')".formatted(tenant));
      }
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(detail(client, "SELECT count(*) FROM users"))
                      .contains("it lags")
                      .contains(address(rig.replicaOfB).toString()));
      assertThat(rows(client, "EXPLAIN (ROUTER) SELECT 1 FROM users"))
          .anyMatch(line -> line.contains("Replica not used: shard-b"));
      // Within a wide bound the older answer is what was asked for.
      assertThat(rows(patient, "SELECT count(*) FROM users WHERE tenant_id < 100"))
          .containsExactly("8");

      rig.follow(rig.replicaOfB, conninfo);
      rows(writer, "DELETE FROM users WHERE tenant_id >= 100");
    }
  }

  @Test
  @Order(6)
  void aReplicaAnswersUnderNoStateThatItHasNotReached() throws SQLException {
    String sql = "SELECT count(*) FROM users WHERE tenant_id >= 200";
    try (Connection client = rig.replicas("10min");
        Connection writer = rig.router.connect()) {
      caughtUp("10min", "SELECT count(*) FROM users", "8");
      rig.at(rig.replicaOfA, "SELECT pg_wal_replay_pause()");
      rig.at(rig.replicaOfB, "SELECT pg_wal_replay_pause()");
      for (int tenant = 200; tenant < 204; tenant++) {
        rows(writer, "INSERT INTO users VALUES (%1$d, 1, 'user%1$d@x')".formatted(tenant));
      }
      assertThat(rows(client, sql)).containsExactly("0");

      rig.router.publish(GsiState.WRITE_ONLY);
      assertThat(state(client, sql)).isEqualTo("57P03");
      rig.at(rig.replicaOfA, "SELECT pg_wal_replay_resume()");
      rig.at(rig.replicaOfB, "SELECT pg_wal_replay_resume()");
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(rows(client, sql)).containsExactly("4"));
      rows(writer, "DELETE FROM users WHERE tenant_id >= 200");
    }
  }

  @Test
  @Order(7)
  void aServerOfAnotherShardOrNoneIsRefused() throws SQLException {
    List<ShardAddress> good = List.of(address(rig.replicaOfB));
    ShardAddress primary = address(rig.cluster.shard(TwoShards.A));
    ShardAddress nobody = new ShardAddress("127.0.0.1", 1);
    try (Connection client = rig.replicas("30s")) {
      rig.configure(List.of(address(rig.replicaOfB)), good);
      awaitDetail(client, "another system");
      rig.configure(List.of(primary), good);
      awaitDetail(client, "no standby");
      rig.configure(List.of(nobody), good);
      awaitDetail(client, "does not answer");
      rig.configure(List.of(), good);
      assertThatThrownBy(() -> rows(client, "SELECT 1"))
          .hasMessageContaining("names no replica of shard shard-a");
      rig.configure(List.of(nobody, primary, address(rig.replicaOfA)), good);
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .untilAsserted(
              () ->
                  assertThat(rows(client, "SELECT inet_server_port()::text"))
                      .containsExactly(Integer.toString(rig.replicaOfA.port())));
    }
  }

  private static void awaitDetail(Connection client, String words) {
    await()
        .atMost(SLOW)
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(detail(client, "SELECT 1")).contains(words));
  }

  @Test
  @Order(8)
  void aPromotedReplicaIsReadNoMore() throws SQLException {
    ShardProcess promoted = rig.replicaOfB;
    await().atMost(SLOW).until(() -> !rig.at(second, "SELECT 1 FROM users").isEmpty());
    conninfo = rig.cutOff(second);
    try (Connection client = rig.replicas("30s")) {
      assertThat(rows(client, "SELECT count(*) FROM users")).hasSize(1);
      rig.at(promoted, "SELECT pg_promote()");
      // The session's own connection is still open, and the watch may not have looked yet.
      assertThat(state(client, "SELECT count(*) FROM users")).isEqualTo("57P03");
      assertThat(detail(client, "SELECT count(*) FROM users")).contains("no standby");
      rows(client, "SET pgconcord.target = 'primary'");
      rows(client, "INSERT INTO users VALUES (1, 77, 'late@x')");
      assertThat(rig.at(promoted, "SELECT 1 FROM users WHERE user_id = 77")).isEmpty();
    }
  }

  /** Nobody has told the server before: it is the first host still, and takes writes. */
  @Test
  @Order(9)
  void aServerThatHasBeenFollowedIsWrittenToNoMore() throws Exception {
    ShardProcess before = rig.cluster.shard(TwoShards.B);
    ShardProcess after = rig.replicaOfB;
    try (Connection open = rig.router.connect();
        Connection idle = rig.router.connect()) {
      open.setAutoCommit(false);
      rows(open, insert(91));
      rows(idle, "SELECT count(*) FROM users");
      rig.hosts(TwoShards.B, before, after);
      await().atMost(SLOW).until(() -> timeline() == 2);
      assertThatThrownBy(open::commit).isInstanceOf(SQLException.class);
      await().atMost(SLOW).until(() -> state(idle, insert(92)).isEmpty());
      try (Connection fresh = rig.router.connect()) {
        rows(fresh, insert(93));
      }
    }
    String written = "SELECT user_id FROM users WHERE user_id > 90 ORDER BY 1";
    assertThat(rig.at(after, written)).containsExactly("92", "93");
    assertThat(rig.at(before, written)).isEmpty();
  }

  /** The other standby is told of the new primary, as a failover's manager does. */
  @Test
  @Order(10)
  void readsFollowToTheStandbysOfTheNewPrimary() throws Exception {
    ShardProcess after = rig.replicaOfB;
    String port = Integer.toString(rig.cluster.shard(TwoShards.B).port());
    rig.at(second, "ALTER SYSTEM SET primary_slot_name = ''");
    rig.follow(second, conninfo.replace(port, Integer.toString(after.port())));
    rig.primary(TwoShards.B, after);
    rig.configure(List.of(address(rig.replicaOfA)), List.of(address(second)));
    String written =
        "SELECT inet_server_port() FROM users WHERE user_id IN (92, 93) AND tenant_id = "
            + TwoShards.tenantOf(TwoShards.B, 0);
    String here = Integer.toString(second.port());
    try (Connection client = rig.replicas("30s")) {
      await()
          .atMost(SLOW)
          .ignoreExceptions()
          .untilAsserted(
              () -> {
                // A standby writes its timeline down with a restart point.
                rig.at(after, "CHECKPOINT");
                rig.at(second, "CHECKPOINT");
                assertThat(rows(client, written)).containsExactly(here, here);
              });
    }
  }

  /** As after a repair of a host, or an address that was given to another one. */
  @Test
  @Order(11)
  void theServerBeforeAndAnotherShardsAreRefusedAtTheAddress() throws Exception {
    for (ShardProcess wrong :
        List.of(rig.cluster.shard(TwoShards.B), rig.cluster.shard(TwoShards.A))) {
      rig.hosts(TwoShards.B, wrong);
      try (Connection client = rig.router.connect()) {
        assertThatThrownBy(() -> rows(client, insert(94)))
            .isInstanceOfSatisfying(
                PSQLException.class,
                e -> {
                  assertThat(e.getSQLState()).isEqualTo("57P03");
                  assertThat(e.getServerErrorMessage().getDetail()).contains("another server");
                });
      }
      assertThat(rig.at(wrong, "SELECT 1 FROM users WHERE user_id = 94")).isEmpty();
    }
  }

  /** Each has rows that the other has not, and nothing tells which of them is the shard. */
  @Test
  @Order(12)
  void ofTwoPrimariesOfOneTimelineNoneIsWrittenTo() throws Exception {
    ShardProcess one = rig.replicaOfB;
    ShardProcess two = rig.cluster.startReplica(TwoShards.B);
    rig.at(two, "SELECT pg_promote()");
    rig.hosts(TwoShards.B, one, two);
    try (Connection client = rig.router.connect()) {
      await().atMost(SLOW).until(() -> state(client, insert(95)).equals("57P03"));
      String written = "SELECT count(*) FROM users WHERE user_id = 95";
      List<String> rows = rig.at(one, written);
      two.stop();
      await().atMost(SLOW).until(() -> state(client, insert(96)).isEmpty());
      assertThat(rig.at(one, written)).isEqualTo(rows);
    }
  }

  private static String insert(int user) {
    return "INSERT INTO users VALUES (%s, %d, 'u%d@x')"
        .formatted(TwoShards.tenantOf(TwoShards.B, 0), user, user);
  }

  private static int timeline() {
    return rig.router
        .shards
        .known()
        .all()
        .getOrDefault(TwoShards.B, new ServerIdentity(0, 0, 0))
        .timeline();
  }
}
