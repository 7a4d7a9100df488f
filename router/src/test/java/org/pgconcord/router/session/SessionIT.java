package org.pgconcord.router.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.RouterSettings;
import org.pgconcord.router.backend.SessionMark;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.postgresql.util.PSQLException;

/** The session layer alone, by PgJDBC against real servers under trust. */
class SessionIT {
  private static ShardCluster cluster;
  private static TestRouter router;

  @BeforeAll
  static void start() throws SQLException {
    cluster = ShardCluster.start(2);
    router = TestRouter.start(cluster, RouterSettings.Auth.TRUST, UnaryOperator.identity());
    for (var shard : cluster.shards()) {
      try (Connection owner = cluster.asOwner(shard);
          Statement statement = owner.createStatement()) {
        statement.execute("CREATE TABLE items (id bigint PRIMARY KEY, name text)");
      }
    }
  }

  @AfterAll
  static void stop() {
    router.close();
    cluster.close();
  }

  private static String one(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void preparedStatementsAreReusedAndBinary() throws SQLException {
    try (Connection c = router.connect("prepareThreshold", "1", "binaryTransfer", "true");
        PreparedStatement p = c.prepareStatement("SELECT ?::int8 + 1, ?::text, now()")) {
      for (int i = 0; i < 20; i++) {
        p.setLong(1, i);
        p.setString(2, i % 2 == 0 ? null : "x" + i);
        try (ResultSet rows = p.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getLong(1)).isEqualTo(i + 1);
          assertThat(rows.getString(2)).isEqualTo(i % 2 == 0 ? null : "x" + i);
          assertThat(rows.getTimestamp(3)).isNotNull();
        }
      }
      assertThat(p.getMetaData().getColumnCount()).isEqualTo(3);
      assertThat(p.getParameterMetaData().getParameterTypeName(1)).isEqualTo("int8");
    }
  }

  @Test
  void aPortalGivesItsRowsInPieces() throws SQLException {
    try (Connection c = router.connect()) {
      c.setAutoCommit(false);
      try (Statement s = c.createStatement()) {
        s.setFetchSize(7);
        long sum = 0;
        try (ResultSet rows = s.executeQuery("SELECT * FROM generate_series(1, 1000)")) {
          while (rows.next()) {
            sum += rows.getLong(1);
          }
        }
        assertThat(sum).isEqualTo(500_500);
      }
      c.commit();
    }
  }

  @Test
  void aBatchIsOneTransaction() throws SQLException {
    try (Connection c = router.connect();
        PreparedStatement p = c.prepareStatement("INSERT INTO items VALUES (?, 'batch')")) {
      for (long id : new long[] {1, 2, 3, 2}) {
        p.setLong(1, id);
        p.addBatch();
      }
      assertThatThrownBy(p::executeBatch).hasMessageContaining("duplicate key");
      assertThat(one(c, "SELECT count(*) FROM items WHERE name = 'batch'")).isEqualTo("0");
      p.clearBatch();
      for (long id = 1; id <= 500; id++) {
        p.setLong(1, id);
        p.addBatch();
      }
      assertThat(p.executeBatch()).hasSize(500);
      assertThat(one(c, "SELECT count(*) FROM items WHERE name = 'batch'")).isEqualTo("500");
    }
  }

  @Test
  void severalStatementsOfAQueryCommitTogether() throws SQLException {
    try (Connection c = router.connect("preferQueryMode", "simple")) {
      assertThatThrownBy(
              () -> run(c, "INSERT INTO items VALUES (9001, 'm'); SELECT 1/0; SELECT 'never sent'"))
          .hasMessageContaining("division by zero");
      assertThat(one(c, "SELECT count(*) FROM items WHERE id = 9001")).isEqualTo("0");
      run(c, "INSERT INTO items VALUES (9001, 'm'); INSERT INTO items VALUES (9002, 'm')");
      assertThat(one(c, "SELECT count(*) FROM items WHERE name = 'm'")).isEqualTo("2");
    }
  }

  @Test
  void errorsArriveWhole() throws SQLException {
    try (Connection c = router.connect()) {
      run(c, "INSERT INTO items VALUES (9100, 'e')");
      assertThatThrownBy(() -> run(c, "INSERT INTO items VALUES (9100, 'e')"))
          .isInstanceOfSatisfying(
              PSQLException.class,
              e -> {
                assertThat(e.getSQLState()).isEqualTo("23505");
                assertThat(e.getServerErrorMessage().getConstraint()).isEqualTo("items_pkey");
                assertThat(e.getServerErrorMessage().getTable()).isEqualTo("items");
                assertThat(e.getServerErrorMessage().getDetail()).contains("9100");
              });
      assertThatThrownBy(() -> run(c, "SELECT nothing FROM nowhere"))
          .isInstanceOfSatisfying(
              PSQLException.class,
              e -> assertThat(e.getServerErrorMessage().getPosition()).isEqualTo(21));
      assertThat(one(c, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aFailedTransactionTakesOnlyItsEnd() throws SQLException {
    try (Connection c = router.connect()) {
      c.setAutoCommit(false);
      run(c, "INSERT INTO items VALUES (9200, 't')");
      assertThatThrownBy(() -> run(c, "SELECT 1/0")).isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> run(c, "SELECT 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
      c.rollback();
      assertThat(one(c, "SELECT count(*) FROM items WHERE id = 9200")).isEqualTo("0");
      c.commit();
    }
  }

  @Test
  void settingsReachTheOtherShardAndFollowTransactions() throws SQLException {
    try (Connection c = router.connect("options", "-c work_mem=7MB")) {
      assertThat(one(c, "SHOW work_mem /* @b */")).isEqualTo("7MB");
      run(c, "SET work_mem TO '9MB'");
      assertThat(one(c, "SHOW work_mem /* @b */")).isEqualTo("9MB");
      c.setAutoCommit(false);
      run(c, "SET LOCAL work_mem TO '11MB'");
      assertThat(one(c, "SHOW work_mem /* @b */")).isEqualTo("11MB");
      run(c, "SET search_path TO pg_temp");
      assertThat(one(c, "SHOW search_path /* @b */")).isEqualTo("pg_temp");
      c.rollback();
      assertThat(one(c, "SHOW work_mem /* @b */")).isEqualTo("9MB");
      assertThat(one(c, "SHOW search_path /* @b */")).contains("public");
      run(c, "SET lock_timeout TO '3s'");
      c.commit();
      assertThat(one(c, "SHOW lock_timeout /* @b */")).isEqualTo("3s");
      c.commit();
      c.setAutoCommit(true);
      run(c, "DISCARD ALL");
      assertThat(one(c, "SHOW work_mem /* @b */")).isEqualTo("7MB");
      assertThat(one(c, "SHOW lock_timeout")).isEqualTo("0");
      for (String bad :
          new String[] {
            "SET client_encoding TO latin1",
            "SET standard_conforming_strings TO off",
            "SET pgconcord.fanuot TO single"
          }) {
        assertThatThrownBy(() -> run(c, bad)).hasMessageContaining("[session/");
      }
      assertThat(one(c, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void aCancelHitsWhatRuns() throws Exception {
    try (Connection c = router.connect();
        Statement s = c.createStatement()) {
      CompletableFuture<SQLException> ended =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  s.execute("SELECT pg_sleep(60) /* the sleeper */");
                  return new SQLException("not cancelled");
                } catch (SQLException e) {
                  return e;
                }
              });
      try (Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
        Awaitility.await()
            .until(
                () ->
                    one(
                            observer,
                            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND"
                                + " query LIKE '%the sleeper%' AND pid <> pg_backend_pid()")
                        .equals("1"));
      }
      s.cancel();
      assertThat(ended.get(20, TimeUnit.SECONDS).getSQLState()).isEqualTo("57014");
      assertThat(one(c, "SELECT 'alive'")).isEqualTo("alive");
    }
  }

  @Test
  void aBackendShowsItsSessionAlsoAfterDiscardAll() throws SQLException {
    try (Connection c = router.connect();
        Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
      String mark = marks(one(c, "SELECT pg_backend_pid()"));
      awaitOne(observer, mark);
      run(c, "DISCARD ALL");
      awaitOne(observer, mark);
      run(c, "SELECT pg_advisory_unlock_all()");
      assertThat(one(observer, mark)).isEqualTo("0");
      run(c, "DISCARD ALL");
      awaitOne(observer, mark);
    }
  }

  /** Whoever reads in pg_locks which numbers a session shows may want them for himself alone. */
  @Test
  void nobodyHoldsASessionUpByItsMark() throws Exception {
    try (Connection c = router.connect();
        Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
      String process = one(c, "SELECT pg_backend_pid()");
      awaitOne(observer, marks(process));
      String taking =
          one(
              observer,
              "SELECT format('SELECT pg_advisory_lock(%s, %s)', classid, objid) FROM pg_locks"
                  + " WHERE locktype = 'advisory' AND pid = "
                  + process);
      try (Connection other = router.connect()) {
        CompletableFuture<Void> taken =
            CompletableFuture.runAsync(
                () -> {
                  try {
                    run(other, taking);
                  } catch (SQLException e) {
                    throw new IllegalStateException(e);
                  }
                });
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(
                () ->
                    !one(observer, "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("0"));
        run(c, "DISCARD ALL");
        assertThat(one(c, "SELECT 1")).isEqualTo("1");
        taken.get(30, TimeUnit.SECONDS);
      }
      assertThat(one(observer, marks(process))).isEqualTo("0");
      String theirs =
          "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'";
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> one(observer, theirs).equals("0"));
      run(c, "DISCARD ALL");
      awaitOne(observer, marks(process));
    }
  }

  private static void awaitOne(Connection observer, String sql) {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> one(observer, sql).equals("1"));
  }

  @Test
  void aServerThatRefusesTheMarkOfASessionServesItAllTheSame() throws SQLException {
    String locking = "EXECUTE ON FUNCTION pg_catalog.pg_try_advisory_lock_shared(int, int)";
    try (Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
      run(observer, "REVOKE " + locking + " FROM PUBLIC");
      try (Connection c = router.connect()) {
        c.setAutoCommit(false);
        run(c, "INSERT INTO items VALUES (9950, 'unmarked')");
        c.commit();
        c.setAutoCommit(true);
        assertThat(one(observer, marks(one(c, "SELECT pg_backend_pid()")))).isEqualTo("0");
        run(c, "DISCARD ALL");
        assertThat(one(c, "SELECT count(*) FROM items WHERE id = 9950")).isEqualTo("1");
      } finally {
        run(observer, "GRANT " + locking + " TO PUBLIC");
      }
    }
  }

  @Test
  void aServerThatDoesNotSayWhichOneItIsIsNotUsed() throws SQLException {
    String telling = "EXECUTE ON FUNCTION pg_catalog.pg_control_system()";
    try (Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
      run(observer, "REVOKE " + telling + " FROM PUBLIC");
      try {
        assertThatThrownBy(() -> router.connect().close())
            .isInstanceOfSatisfying(
                PSQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08001"))
            .hasMessageContaining("which server it is")
            .hasMessageContaining("GRANT EXECUTE");
      } finally {
        run(observer, "GRANT " + telling + " TO PUBLIC");
      }
    }
  }

  private static String marks(String processId) {
    return "SELECT count(*) FROM pg_locks WHERE "
        + SessionMark.CONDITION
        + " AND pid = "
        + processId;
  }

  @Test
  void aLargeResultPassesWithoutBeingHeld() throws SQLException {
    try (Connection c = router.connect();
        Statement s = c.createStatement();
        ResultSet rows =
            s.executeQuery("SELECT repeat('x', 10000) FROM generate_series(1, 5000)")) {
      long bytes = 0;
      while (rows.next()) {
        bytes += rows.getString(1).length();
      }
      assertThat(bytes).isEqualTo(50_000_000);
    }
  }

  @Test
  void copyIsRefusedAndTheSessionLives() throws SQLException {
    try (Connection c = router.connect("preferQueryMode", "simple")) {
      assertThatThrownBy(() -> run(c, "COPY items FROM STDIN"))
          .hasMessageContaining("COPY does not pass");
      assertThat(one(c, "SELECT 1")).isEqualTo("1");
    }
  }

  @Test
  void unknownNamesAreFatalInPostgresWords() {
    assertThatThrownBy(() -> router.connect("user", "nobody-here"))
        .isInstanceOfSatisfying(
            PSQLException.class,
            e -> {
              assertThat(e.getSQLState()).isEqualTo("28000");
              assertThat(e.getMessage()).contains("role \"nobody-here\" does not exist");
            });
    assertThatThrownBy(
            () ->
                java.sql.DriverManager.getConnection(
                    "jdbc:postgresql://127.0.0.1:" + router.port() + "/other?user=demo"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("3D000"));
  }

  @Test
  void aTransactionOfAClientThatLeavesIsRolledBack() throws SQLException {
    Connection c = router.connect();
    c.setAutoCommit(false);
    run(c, "INSERT INTO items VALUES (9300, 'gone')");
    c.abort(Runnable::run);
    try (Connection observer = cluster.asSuperuser(cluster.shards().get(0))) {
      Awaitility.await()
          .until(
              () ->
                  one(observer, "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'")
                      .equals("0"));
      assertThat(one(observer, "SELECT count(*) FROM items WHERE id = 9300")).isEqualTo("0");
    }
  }

  @Test
  void theLimitOfConnectionsHolds() throws SQLException {
    try (TestRouter small =
        TestRouter.start(cluster, RouterSettings.Auth.TRUST, s -> s.withConnectionsMax(2))) {
      try (Connection a = small.connect();
          Connection b = small.connect()) {
        assertThatThrownBy(small::connect)
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("53300"));
        assertThat(one(a, "SELECT 1") + one(b, "SELECT 2")).isEqualTo("12");
      }
      Awaitility.await().until(() -> small.sessions() == 0);
      try (Connection again = small.connect()) {
        assertThat(one(again, "SELECT 3")).isEqualTo("3");
      }
    }
  }

  @Test
  void stoppingEndsIdleSessionsAtOnceAndOpenTransactionsSoon() throws SQLException {
    TestRouter stopping =
        TestRouter.start(cluster, RouterSettings.Auth.TRUST, UnaryOperator.identity());
    try (Connection idle = stopping.connect();
        Connection open = stopping.connect()) {
      open.setAutoCommit(false);
      run(open, "INSERT INTO items VALUES (9400, 'drain')");
      CompletableFuture<Void> closing = CompletableFuture.runAsync(stopping::close);
      Awaitility.await().until(() -> stopping.sessions() == 1);
      assertThatThrownBy(() -> one(idle, "SELECT 1")).isInstanceOf(SQLException.class);
      open.commit();
      closing.orTimeout(10, TimeUnit.SECONDS).join();
    }
    try (Connection owner = cluster.asOwner(cluster.shards().get(0))) {
      assertThat(one(owner, "SELECT count(*) FROM items WHERE id = 9400")).isEqualTo("1");
    }
  }
}
