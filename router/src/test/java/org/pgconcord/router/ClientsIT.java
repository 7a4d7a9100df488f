package org.pgconcord.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.value.ShardId;

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
}
