package org.pgconcord.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.SessionMark;
import org.pgconcord.router.session.RawClient;
import org.pgconcord.router.wire.FrontendFrames;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.copy.CopyOut;

/** PgJDBC in its query modes against the whole router. */
class ClientsIT {
  private static final int ROWS = 2_000;
  private static SampleRouter router;

  @BeforeAll
  static void start() throws Exception {
    router = SampleRouter.start(ROWS);
  }

  @AfterAll
  static void stop() {
    router.close();
  }

  private static List<String> column(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  private static long count(Connection c, long tenant) throws SQLException {
    return Long.parseLong(
        column(c, "SELECT count(*) FROM users WHERE tenant_id = " + tenant).get(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared", "extendedCacheEverything"})
  void readsAndWritesOfOneTenant(String mode) throws SQLException {
    long tenant = 70_000L + mode.length();
    try (Connection c = router.connect("&prepareThreshold=2&preferQueryMode=" + mode);
        PreparedStatement insert =
            c.prepareStatement("INSERT INTO users VALUES (?, ?, ?, ?, 'DE') RETURNING user_id");
        PreparedStatement select =
            c.prepareStatement("SELECT name FROM users WHERE tenant_id = ? AND user_id = ?")) {
      for (long user = 1; user <= 8; user++) {
        insert.setLong(1, tenant);
        insert.setLong(2, user);
        insert.setString(3, mode + user + "@example.org");
        insert.setString(4, "name " + user);
        try (ResultSet returned = insert.executeQuery()) {
          assertThat(returned.next()).isTrue();
          assertThat(returned.getLong(1)).isEqualTo(user);
        }
        select.setLong(1, tenant);
        select.setLong(2, user);
        try (ResultSet rows = select.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getString(1)).isEqualTo("name " + user);
        }
      }
      try (Statement s = c.createStatement()) {
        assertThat(s.executeUpdate("UPDATE users SET name = 'x' WHERE tenant_id = " + tenant))
            .isEqualTo(8);
        assertThat(s.executeUpdate("DELETE FROM users WHERE tenant_id = " + tenant)).isEqualTo(8);
      }
      assertThat(count(c, tenant)).isZero();
    }
  }

  @Test
  void aBatchOfOneTenantIsOneTransaction() throws SQLException {
    try (Connection c = router.connect("");
        PreparedStatement insert =
            c.prepareStatement("INSERT INTO users VALUES (?, ?, ?, 'batch', 'DE')")) {
      for (long user : new long[] {1, 2, 3, 1}) {
        add(insert, 80_001, user);
      }
      assertThatThrownBy(insert::executeBatch).hasMessageContaining("duplicate key");
      assertThat(count(c, 80_001)).isZero();
      insert.clearBatch();
      for (long user = 1; user <= 300; user++) {
        add(insert, 80_001, user);
      }
      insert.executeBatch();
      assertThat(count(c, 80_001)).isEqualTo(300);
    }
  }

  private static void add(PreparedStatement insert, long tenant, long user) throws SQLException {
    insert.setLong(1, tenant);
    insert.setLong(2, user);
    insert.setString(3, tenant + "." + user + "." + System.nanoTime() + "@example.org");
    insert.addBatch();
  }

  @Test
  void transactionsWriteOneShardAndReadAll() throws SQLException {
    try (Connection c = router.connect("")) {
      c.setAutoCommit(false);
      try (Statement s = c.createStatement()) {
        s.execute("INSERT INTO users VALUES (81001, 1, 'a@81001', 'a', 'DE')");
        assertThat(column(c, "SELECT user_id FROM users")).hasSizeGreaterThan(ROWS);
        c.rollback();
        assertThat(count(c, 81_001)).isZero();
        s.execute("INSERT INTO users VALUES (81001, 1, 'a@81001', 'a', 'DE')");
        c.commit();
        assertThat(count(c, 81_001)).isEqualTo(1);
        assertThatThrownBy(() -> s.execute("SELECT 1/0")).isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> s.execute("SELECT 1"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P02"));
        c.rollback();
      }
    }
  }

  @Test
  void aScatterGivesEveryRowAndAPortalItsPieces() throws SQLException {
    try (Connection c = router.connect("")) {
      assertThat(column(c, "SELECT email FROM users WHERE user_id > 0"))
          .hasSizeGreaterThanOrEqualTo(ROWS);
      assertThat(column(c, "SELECT name FROM countries WHERE code = 'DE'")).hasSize(1);
      c.setAutoCommit(false);
      try (PreparedStatement p =
          c.prepareStatement("SELECT user_id FROM users WHERE tenant_id = ?")) {
        p.setFetchSize(1);
        p.setLong(1, 1);
        int rows = 0;
        try (ResultSet result = p.executeQuery()) {
          while (result.next()) {
            rows++;
          }
        }
        assertThat(rows).isEqualTo((int) count(c, 1)).isPositive();
      }
    }
  }

  @Test
  void metadataComesFromTheAuthoritativeShard() throws SQLException {
    try (Connection c = router.connect("");
        Connection direct = router.cluster().asOwner(new ShardId("shard-a"))) {
      for (Connection each : List.of(c, direct)) {
        DatabaseMetaData metadata = each.getMetaData();
        assertThat(names(metadata.getTables(null, "public", "%", new String[] {"TABLE"}), 3))
            .contains("users", "countries");
        assertThat(names(metadata.getColumns(null, "public", "users", "%"), 4))
            .startsWith("tenant_id", "user_id", "email");
        assertThat(names(metadata.getPrimaryKeys(null, "public", "users"), 4))
            .containsExactlyInAnyOrder("tenant_id", "user_id");
        assertThat(names(metadata.getSchemas(), 1)).contains("public", "pg_catalog");
        assertThat(names(metadata.getTypeInfo(), 1)).contains("int8");
        assertThat(names(metadata.getIndexInfo(null, "public", "users", false, false), 6))
            .contains("users_pkey");
      }
    }
  }

  private static List<String> names(ResultSet rows, int column) throws SQLException {
    try (rows) {
      List<String> names = new ArrayList<>();
      while (rows.next()) {
        names.add(rows.getString(column));
      }
      return names;
    }
  }

  @Test
  void whatPoolsAndDriversAskIsAnswered() throws SQLException {
    try (Connection c = router.connect("")) {
      assertThat(c.isValid(5)).isTrue();
      c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThat(c.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
      c.setSchema("public");
      assertThat(c.getSchema()).isEqualTo("public");
      c.setReadOnly(true);
      c.setAutoCommit(false);
      assertThatThrownBy(
              () -> column(c, "INSERT INTO users VALUES (82001, 1, 'e', 'n', 'DE') RETURNING 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
      c.rollback();
      c.setReadOnly(false);
      c.setAutoCommit(true);
      c.setClientInfo("ApplicationName", "reports");
      assertThat(column(c, "SHOW application_name")).containsExactly("reports");
      assertThat(column(c, "SELECT current_setting('application_name')")).contains("reports");
      assertThat(column(c, "EXPLAIN (ROUTER) SELECT * FROM users WHERE tenant_id = 1"))
          .isNotEmpty();
      assertThat(column(c, "EXPLAIN SELECT * FROM users WHERE tenant_id = 1")).isNotEmpty();
      assertThatThrownBy(() -> column(c, "SAVEPOINT a"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25P01"));
    }
  }

  @Test
  void aQueryTimeoutCancelsAndTheSessionLives() throws SQLException {
    try (Connection c = router.connect("");
        Statement s = c.createStatement()) {
      s.setQueryTimeout(1);
      assertThatThrownBy(() -> s.execute("SELECT pg_sleep(30)"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("57014"));
      assertThat(column(c, "SELECT 1")).containsExactly("1");
    }
  }

  // --- how pools, middleware and drivers treat a session ---------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void setConfigIsSetInOtherWords(String mode) throws SQLException {
    try (Connection c = router.connect("&preferQueryMode=" + mode)) {
      c.setAutoCommit(false);
      assertThat(setConfig(c, "app.tenant", "7", true)).isEqualTo("7");
      assertThat(tenantsThatSee(c, "7")).as("on every shard").isEqualTo(ROWS);
      Savepoint savepoint = c.setSavepoint();
      assertThat(setConfig(c, "app.tenant", "8", false)).isEqualTo("8");
      assertThat(tenantsThatSee(c, "8")).isEqualTo(ROWS);
      c.rollback(savepoint);
      assertThat(tenantsThatSee(c, "7")).isEqualTo(ROWS);
      c.commit();
      assertThat(column(c, "SELECT current_setting('app.tenant', true)")).containsExactly("");

      setConfig(c, "app.tenant", "9", false);
      c.rollback();
      assertThat(tenantsThatSee(c, "9")).isZero();
      setConfig(c, "app.tenant", "10", false);
      c.commit();
      assertThat(tenantsThatSee(c, "10")).isEqualTo(ROWS);
      setConfig(c, "app.tenant", null, false);
      c.commit();
      assertThat(tenantsThatSee(c, "")).isEqualTo(ROWS);
    }
  }

  private static String setConfig(Connection c, String name, @Nullable String value, boolean local)
      throws SQLException {
    try (PreparedStatement p = c.prepareStatement("SELECT set_config('" + name + "', ?, ?)")) {
      p.setString(1, value);
      p.setBoolean(2, local);
      try (ResultSet rows = p.executeQuery()) {
        rows.next();
        return rows.getString(1);
      }
    }
  }

  /** Rows of all shards, each of which asks its own session. */
  private static long tenantsThatSee(Connection c, String value) throws SQLException {
    return column(
            c,
            "SELECT user_id FROM users WHERE tenant_id < 60000 AND "
                + "current_setting('app.tenant', true) = '"
                + value
                + "'")
        .size();
  }

  @Test
  void setConfigReachesTheRoutersOwnSettings() throws SQLException {
    try (Connection c = router.connect("")) {
      column(
          c,
          "SELECT pg_catalog.set_config('search_path', 'public', false) AS path,"
              + " set_config('pgconcord.fanout', 'single', false), current_setting('jit') j");
      assertThatThrownBy(() -> column(c, "SELECT user_id FROM users"))
          .hasMessageContaining("query/fan-out");
      assertThatThrownBy(() -> setConfig(c, "pgconcord.fanuot", "single", false))
          .hasMessageContaining("did you mean \"pgconcord.fanout\"?");
      assertThatThrownBy(() -> setConfig(c, "client_encoding", "latin1", false))
          .hasMessageContaining("UTF8");
      setConfig(c, "pgconcord.fanout", null, false);
      assertThat(column(c, "SELECT user_id FROM users")).hasSizeGreaterThanOrEqualTo(ROWS);
      assertThatThrownBy(() -> setConfig(c, "pgconcord.target", "x", false))
          .hasMessageContaining("pgconcord.target");
    }
  }

  @Test
  void whatPoolsCleanUpWithIsAnswered() throws SQLException {
    try (Connection c = router.connect("&preferQueryMode=simple");
        Statement s = c.createStatement()) {
      s.execute("SET statement_timeout = '7s'");
      s.execute("SELECT pg_advisory_unlock_all();\nCLOSE ALL;\nUNLISTEN *;\nRESET ALL;");
      assertThat(column(c, "SHOW statement_timeout")).containsExactly("0");
    }
  }

  @Test
  void anAdvisoryLockIsHeldForTheSessionOrTheTransaction() throws SQLException {
    try (Connection one = router.connect("");
        Connection other = router.connect("")) {
      column(one, "SELECT pg_advisory_lock(4711)");
      assertThat(column(other, "SELECT pg_try_advisory_lock(4711)")).containsExactly("f");
      assertThat(column(one, "SELECT pg_advisory_unlock(4711)")).containsExactly("t");
      assertThat(column(other, "SELECT pg_try_advisory_lock(4711)")).containsExactly("t");
      column(other, "SELECT pg_advisory_unlock_all()");
      assertThat(
              column(
                  other,
                  "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND "
                      + SessionMark.CONDITION))
          .containsExactly("1");
      one.setAutoCommit(false);
      try (PreparedStatement lock =
          one.prepareStatement("SELECT pg_try_advisory_xact_lock(hashtext(?))")) {
        lock.setString(1, "migration");
        lock.execute();
      }
      column(one, "SELECT count(*) FROM users");
      String taken = "SELECT pg_try_advisory_xact_lock(hashtext('migration'))";
      assertThat(column(other, taken)).containsExactly("f");
      one.commit();
      assertThat(column(other, taken)).containsExactly("t");
      assertThatThrownBy(() -> column(one, "SELECT pg_advisory_lock(user_id) FROM users"))
          .hasMessageContaining("[function/session-state]");
    }
  }

  @Test
  void whatIsNotifiedReachesWhoeverListens() throws SQLException {
    try (Connection listener = router.connect("");
        Connection writer = router.connect("")) {
      try (Statement s = listener.createStatement()) {
        s.execute("LISTEN news");
      }
      writer.setAutoCommit(false);
      try (Statement s = writer.createStatement()) {
        s.execute("INSERT INTO users VALUES (71000, 1, 'notify@example.org', 'n', 'DE')");
        s.execute("NOTIFY news, 'undone'");
        writer.rollback();
        s.execute("UPDATE users SET name = 'n' WHERE tenant_id = 71000");
        s.execute("SELECT pg_notify('news', 'done')");
      }
      assertThat(notifications(listener, 1)).isEmpty();
      writer.commit();
      assertThat(notifications(listener, 30_000)).containsExactly("done");
      try (Statement s = listener.createStatement()) {
        s.execute("UNLISTEN *");
        s.execute("NOTIFY news, 'unheard'");
      }
      assertThat(notifications(listener, 1)).isEmpty();
    }
  }

  private static List<String> notifications(Connection listener, int millis) throws SQLException {
    List<String> heard = new ArrayList<>();
    for (PGNotification one : listener.unwrap(PGConnection.class).getNotifications(millis)) {
      heard.add(one.getParameter());
    }
    return heard;
  }

  /** Whoever holds a lock relies on it: another connection would be silently without. */
  @Test
  void aSessionEndsWithTheConnectionThatHoldsItsLocks() throws SQLException {
    try (Connection locked = router.connect("");
        Connection plain = router.connect("");
        Connection killer = router.connect("")) {
      column(locked, "SELECT pg_advisory_lock(4712)");
      for (Connection victim : List.of(locked, plain)) {
        String process = column(victim, "SELECT pg_backend_pid()").get(0);
        column(killer, "SELECT pg_terminate_backend(" + process + ", 30000)");
      }
      assertThatThrownBy(() -> column(locked, "SELECT 1")).isInstanceOf(SQLException.class);
      assertThat(locked.isValid(1)).isFalse();
      assertThat(plain.isValid(30)).isTrue();
    }
  }

  @Test
  void deallocateEndsStatementsOfTheProtocol() throws Exception {
    try (RawClient client = RawClient.loggedIn(router.port())) {
      parse(client, "a");
      parse(client, "b");
      client.send(out -> FrontendFrames.query(out, "DEALLOCATE a"));
      assertThat(client.untilReady()).containsExactly("C", "ZI");
      client.send(out -> FrontendFrames.bind(out, "", "a", Parameters.none()));
      client.send(FrontendFrames::sync);
      assertThat(client.untilReady()).containsExactly("E ERROR 26000", "ZI");
      client.send(out -> FrontendFrames.query(out, "DEALLOCATE PREPARE a"));
      assertThat(client.untilReady()).containsExactly("E ERROR 26000", "ZI");
      parse(client, "a");
      client.send(out -> FrontendFrames.query(out, "DEALLOCATE ALL"));
      assertThat(client.untilReady()).containsExactly("C", "ZI");
      parse(client, "a");
      parse(client, "b");
    }
  }

  private static void parse(RawClient client, String name) throws Exception {
    client.send(
        out ->
            FrontendFrames.parse(
                out, name, "SELECT name FROM users WHERE user_id = 1", ParameterTypes.NONE));
    client.send(FrontendFrames::sync);
    assertThat(client.untilReady()).as(name).containsExactly("1", "ZI");
  }

  /** PostgreSQL's messages are rows, as clients that read row by row expect them. */
  @ParameterizedTest
  @ValueSource(strings = {"users", "(SELECT name FROM users ORDER BY name)"})
  void aBinaryCopysHeaderComesWithItsFirstRow(String what) throws SQLException {
    try (Connection c = router.connect("")) {
      int rows = column(c, "SELECT user_id FROM users").size();
      List<byte[]> messages = messages(c, "COPY " + what + " TO STDOUT (FORMAT binary)");
      assertThat(messages).hasSize(rows + 1);
      assertThat(messages.get(0)).startsWith('P', 'G', 'C').hasSizeGreaterThan(19 + 2);
      assertThat(messages.get(rows)).containsExactly(-1, -1);
      String none = "COPY (SELECT name FROM users WHERE user_id < 0%s) TO STDOUT (FORMAT binary)";
      for (String order : List.of("", " ORDER BY name")) {
        assertThat(messages(c, none.formatted(order)))
            .singleElement()
            .satisfies(only -> assertThat(only).hasSize(19 + 2));
      }
    }
  }

  private static List<byte[]> messages(Connection c, String copy) throws SQLException {
    CopyOut out = c.unwrap(PGConnection.class).getCopyAPI().copyOut(copy);
    List<byte[]> messages = new ArrayList<>();
    for (byte[] next = out.readFromCopy(); next != null; next = out.readFromCopy()) {
      messages.add(next);
    }
    return messages;
  }

  /**
   * The client does not ask for the columns again: it would take new ones for those that it knows.
   * The first statement of each text is the first that its backend hears of it.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM users WHERE tenant_id = 1",
        "SELECT * FROM users WHERE tenant_id = 2",
        "SELECT * FROM users WHERE tenant_id = 3",
        "SELECT * FROM users WHERE user_id < 9",
        "SELECT * FROM users WHERE user_id < 9 ORDER BY user_id",
        "SELECT * FROM countries WHERE code = 'DE'",
        "INSERT INTO users VALUES (95001, 1, 'ddl', 'n', 'DE') RETURNING *",
        "INSERT INTO users VALUES (95001, 1, 'd1', 'n', 'DE'), (95002, 1, 'd2', 'n', 'DE'), (95003, 1, 'd3', 'n', 'DE') RETURNING *",
        "DELETE FROM users WHERE user_id = 1 RETURNING *"
      })
  void aPreparedStatementNeverGivesOtherColumns(String sql) throws Exception {
    try (Connection direct = router.connect("");
        RawClient client = RawClient.loggedIn(router.port())) {
      List<String> before = column(direct, "SELECT email FROM users");
      client.send(out -> FrontendFrames.parse(out, "s", sql, ParameterTypes.NONE));
      client.send(out -> FrontendFrames.describe(out, 'S', "s"));
      client.send(FrontendFrames::sync);
      assertThat(client.untilReady()).containsExactly("1", "t", "T", "ZI");
      onAllShards("ADD COLUMN more int");
      try {
        for (int i = 0; i < 3; i++) {
          client.send(out -> FrontendFrames.bind(out, "", "s", Parameters.none()));
          client.send(out -> FrontendFrames.execute(out, "", 0));
          client.send(FrontendFrames::sync);
          assertThat(client.untilReady()).contains("E ERROR 0A000").doesNotContain("D", "C");
        }
        assertThat(column(direct, "SELECT email FROM users"))
            .containsExactlyInAnyOrderElementsOf(before);
        client.send(out -> FrontendFrames.close(out, 'S', "s"));
        client.send(out -> FrontendFrames.parse(out, "s", "SELECT 1", ParameterTypes.NONE));
        client.send(FrontendFrames::sync);
        assertThat(client.untilReady()).containsExactly("3", "1", "ZI");
      } finally {
        onAllShards("DROP COLUMN more");
      }
    }
  }

  private static void onAllShards(String alteration) throws SQLException {
    for (ShardId shard : router.cluster().shards()) {
      try (Connection owner = router.cluster().asOwner(shard);
          Statement s = owner.createStatement()) {
        s.execute("ALTER TABLE users " + alteration);
        s.execute("ALTER TABLE countries " + alteration);
      }
    }
  }
}
