package org.pgconcord.gsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.testkit.cluster.ShardCluster;

/**
 * The two-session cases of the entry protocol on real servers, without luck: each waits until the
 * server itself says that a session is blocked before the other goes on.
 */
class SettlementIT {
  private static final String X = "x@example.com";
  private static final LookupIndex INDEX = Indexes.byEmail(false);
  private static final EntrySql SQL = new EntrySql(INDEX);
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);

  private static ShardCluster cluster;
  private static ExecutorService threads;
  private final List<Connection> opened = new ArrayList<>();
  private SettlementRunner runner;

  @BeforeAll
  static void start() throws SQLException {
    cluster = ShardCluster.start(2);
    threads = Executors.newCachedThreadPool();
    for (ShardId shard : cluster.shards()) {
      try (Connection owner = cluster.asOwner(shard)) {
        run(
            owner,
            "CREATE TABLE users (tenant_id bigint NOT NULL, user_id bigint NOT NULL, email text NOT"
                + " NULL, PRIMARY KEY (tenant_id, user_id), UNIQUE (tenant_id, email))");
      }
    }
    try (Connection service = cluster.asService(A)) {
      run(service, "CREATE SCHEMA pgconcord");
      run(service, LookupDdl.createTable(INDEX).toArray(new String[0]));
      run(service, LookupDdl.createFunctions(INDEX).toArray(new String[0]));
      run(service, LookupDdl.createFunctions(INDEX).toArray(new String[0]));
      run(service, LookupDdl.raiseReadEpoch(INDEX, 3), LookupDdl.raiseReadEpoch(INDEX, 2));
    }
  }

  @AfterAll
  static void stop() {
    threads.shutdownNow();
    cluster.close();
  }

  @BeforeEach
  void empty() throws SQLException {
    for (ShardId shard : cluster.shards()) {
      run(service(shard), "DELETE FROM users");
    }
    run(service(A), "DELETE FROM users_by_email");
    runner = new SettlementRunner(INDEX, shard -> cluster.asService(shard), Duration.ofSeconds(20));
  }

  @AfterEach
  void closeSessions() throws SQLException {
    runner.close();
    for (Connection connection : opened) {
      connection.close();
    }
  }

  @Test
  void aMainThatIsOpenAfterItsPreKeepsItsEntryWhenItCommits() throws Exception {
    Connection main = openMainWithCommittedPre();

    CompletableFuture<Outcome> taker = claimInBackground(new Entry(Tuple.of(X), Tuple.of(ON_A)));
    awaitBlocked(B, "advisory");
    run(main, "COMMIT");

    assertThat(taker.join()).isEqualTo(new Outcome(Outcome.Kind.DUPLICATE, Tuple.of(ON_B)));
    assertThat(entry(X)).isEqualTo(ON_B);
  }

  @Test
  void aMainThatIsOpenAfterItsPreLosesItsEntryWhenItRollsBack() throws Exception {
    Connection main = openMainWithCommittedPre();

    CompletableFuture<Outcome> taker = claimInBackground(new Entry(Tuple.of(X), Tuple.of(ON_A)));
    awaitBlocked(B, "advisory");
    run(main, "ROLLBACK");

    assertThat(taker.join().kind()).isEqualTo(Outcome.Kind.TAKEN_OVER);
    assertThat(entry(X)).isEqualTo(ON_A);
  }

  @Test
  void anAuditWaitsForTheSameMain() throws Exception {
    Connection main = openMainWithCommittedPre();

    CompletableFuture<Outcome> audit = inBackground(() -> runner.settle(Tuple.of(X), null));
    awaitBlocked(B, "advisory");
    run(main, "COMMIT");

    assertThat(audit.join()).isEqualTo(new Outcome(Outcome.Kind.KEPT, Tuple.of(ON_B)));
  }

  @Test
  void aValueThatItsTenantCreatesAgainWhilePostIsOpenGetsANewEntry() throws Exception {
    insertOwner(ON_B, 1, X);
    run(service(A), "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_B + ")");
    Connection main = client(B);
    run(main, "BEGIN", "DELETE FROM users WHERE user_id = 1");
    Connection post = service(A);
    run(post, "BEGIN");
    execute(post, SQL.delete(new Entry(Tuple.of(X), Tuple.of(ON_B))));
    run(main, "COMMIT");
    Connection again = client(B);
    run(again, "BEGIN", "INSERT INTO users VALUES (" + ON_B + ", 2, '" + X + "')");

    CompletableFuture<Outcome> claim = claimInBackground(new Entry(Tuple.of(X), Tuple.of(ON_B)));
    awaitBlocked(A, "transactionid");
    run(post, "COMMIT");

    assertThat(claim.join().kind()).isEqualTo(Outcome.Kind.ADDED);
    run(again, "COMMIT");
    assertThat(entry(X)).isEqualTo(ON_B);
  }

  @Test
  void aWriterWaitsForADeleteThatIsUnderWayAndTakesTheKeyWhenItCommits() throws Exception {
    insertOwner(ON_B, 1, X);
    run(service(A), "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_B + ")");
    Connection main = client(B);
    run(main, "BEGIN", "DELETE FROM users WHERE user_id = 1");

    CompletableFuture<Outcome> claim = claimInBackground(new Entry(Tuple.of(X), Tuple.of(ON_A)));
    awaitBlocked(B, "transactionid");
    Connection post = service(A);
    run(post, "BEGIN");
    assertThat(execute(post, SQL.delete(new Entry(Tuple.of(X), Tuple.of(ON_B))))).hasSize(1);
    run(main, "COMMIT");
    awaitBlocked(A, "transactionid");
    run(post, "COMMIT");

    assertThat(claim.join().kind()).isEqualTo(Outcome.Kind.ADDED);
    assertThat(entry(X)).isEqualTo(ON_A);
  }

  @Test
  void auditSettlesWhatDirectWritesLeft() throws SQLException {
    insertOwner(ON_B, 1, X);
    assertThat(runner.settle(Tuple.of(X), Tuple.of(ON_B)).kind()).isEqualTo(Outcome.Kind.ADDED);
    insertOwner(ON_A, 1, X);
    assertThat(runner.settle(Tuple.of(X), Tuple.of(ON_A)))
        .isEqualTo(new Outcome(Outcome.Kind.DUPLICATE, Tuple.of(ON_B)));
    run(service(B), "DELETE FROM users");
    assertThat(runner.settle(Tuple.of(X), Tuple.of(ON_A)).kind()).isEqualTo(Outcome.Kind.ADDED);
    assertThat(entry(X)).isEqualTo(ON_A);
    run(service(A), "DELETE FROM users");
    assertThat(runner.settle(Tuple.of(X), null).kind()).isEqualTo(Outcome.Kind.REMOVED);
    assertThat(runner.settle(Tuple.of(X), null).kind()).isEqualTo(Outcome.Kind.ABSENT);
  }

  @Test
  void aTenantUnderRowSecurityDoesNotStealAValueThatItCannotSee() throws Exception {
    insertOwner(ON_B, 1, X);
    run(service(A), "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_B + ")");
    run(client(B), "ALTER TABLE users ENABLE ROW LEVEL SECURITY");
    run(client(B), "ALTER TABLE users FORCE ROW LEVEL SECURITY");
    try {
      assertThat(ask(client(B), "SELECT count(*) FROM users")).isEqualTo("0");
      assertThat(claimInBackground(new Entry(Tuple.of(X), Tuple.of(ON_A))).join().kind())
          .isEqualTo(Outcome.Kind.DUPLICATE);
    } finally {
      run(client(B), "ALTER TABLE users DISABLE ROW LEVEL SECURITY");
      run(client(B), "ALTER TABLE users NO FORCE ROW LEVEL SECURITY");
    }
  }

  @Test
  void theFunctionsInMainBelieveNobody() throws SQLException {
    Connection main = client(A);
    Entry entry = new Entry(Tuple.of(X), Tuple.of(ON_A));
    assertThatThrownBy(() -> execute(main, SQL.addInMain(entry, 5000)))
        .hasMessageContaining("sees no row that owns the entry");
    run(main, "BEGIN", "INSERT INTO users VALUES (" + ON_A + ", 1, '" + X + "')");
    assertThat(execute(main, SQL.addInMain(entry, 5000))).isEqualTo(List.of(List.of("added")));
    assertThat(execute(main, SQL.undoInMain(entry))).isEqualTo(List.of(List.of("f")));
    run(main, "DELETE FROM users");
    assertThat(execute(main, SQL.undoInMain(entry))).isEqualTo(List.of(List.of("t")));
    run(main, "ROLLBACK");

    run(service(A), "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_A + ")");
    assertThat(execute(main, SQL.undoInMain(entry))).isEqualTo(List.of(List.of("f")));
    run(main, "BEGIN", "INSERT INTO users VALUES (" + ON_A + ", 1, '" + X + "')");
    assertThat(execute(main, SQL.addInMain(entry, 5000))).isEqualTo(List.of(List.of("kept")));
    run(main, "ROLLBACK");
    run(service(A), "UPDATE users_by_email SET tenant_id = " + ON_B);
    run(main, "BEGIN", "INSERT INTO users VALUES (" + ON_A + ", 1, '" + X + "')");
    assertThat(execute(main, SQL.addInMain(entry, 5000))).isEqualTo(List.of(List.of("taken")));
    run(main, "ROLLBACK");
    assertThatThrownBy(() -> ask(main, "SELECT count(*) FROM users_by_email"))
        .hasMessageContaining("permission denied");
  }

  @Test
  void aReadGivesTheEpochWithAndWithoutAnEntry() throws SQLException {
    Connection service = service(A);
    assertThat(execute(service, SQL.readWithEpoch(Tuple.of(X))).get(0))
        .containsExactly("3", null, null);
    run(service, "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_B + ")");
    List<String> read = execute(service, SQL.readWithEpoch(Tuple.of(X))).get(0);
    assertThat(read.get(0)).isEqualTo("3");
    assertThat(read.get(2)).isEqualTo(ON_B);
    String version = read.get(1);
    assertThat(execute(service, SQL.readVersionForShare(Tuple.of(X))).get(0).subList(0, 2))
        .containsExactly(version, ON_B);
    run(service, "UPDATE users_by_email SET tenant_id = tenant_id");
    assertThat(execute(service, SQL.readVersionForShare(Tuple.of(X))).get(0).get(0))
        .isNotEqualTo(version);
  }

  @Test
  void locksThatComeTooLateLeaveTheKeyUnsettled() throws SQLException {
    run(service(A), "INSERT INTO users_by_email VALUES ('" + X + "', " + ON_B + ")");
    Connection other = service(A);
    run(other, "BEGIN", "SELECT FROM users_by_email FOR UPDATE");
    try (SettlementRunner impatient =
        new SettlementRunner(INDEX, s -> cluster.asService(s), Duration.ofMillis(50))) {
      assertThat(impatient.settle(Tuple.of(X), null).kind()).isEqualTo(Outcome.Kind.UNSETTLED);
      run(other, "ROLLBACK");
      assertThat(impatient.settle(Tuple.of(X), null).kind()).isEqualTo(Outcome.Kind.REMOVED);
    }
  }

  // --- sessions --------------------------------------------------------------------------------

  /** A writer of tenant ON_B that has committed PRE and holds the shared key lock in MAIN. */
  private Connection openMainWithCommittedPre() throws SQLException {
    Connection main = client(B);
    run(main, "BEGIN", "INSERT INTO users VALUES (" + ON_B + ", 1, '" + X + "')");
    Connection pre = service(A);
    run(pre, "BEGIN");
    execute(pre, SQL.insert(new Entry(Tuple.of(X), Tuple.of(ON_B))));
    execute(main, EntrySql.shareKeyLocks(List.of(INDEX.keyLock(Tuple.of(X)))));
    run(pre, "COMMIT");
    return main;
  }

  /** A claim in a PRE of its own, which commits at the end. */
  private CompletableFuture<Outcome> claimInBackground(Entry entry) {
    return inBackground(
        () -> {
          Connection pre = service(A);
          run(pre, "BEGIN");
          SettlementRunner claims =
              new SettlementRunner(
                  INDEX,
                  new SettlementRunner.Sessions() {
                    private boolean first = true;

                    @Override
                    public Connection open(ShardId shard) throws SQLException {
                      Connection session = first ? pre : service(shard);
                      first = false;
                      return session;
                    }
                  },
                  Duration.ofSeconds(20));
          Outcome outcome = claims.run(Settlement.claim(INDEX, entry));
          run(pre, "COMMIT");
          return outcome;
        });
  }

  private interface Call<T> {
    T call() throws SQLException;
  }

  private static <T> CompletableFuture<T> inBackground(Call<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        threads);
  }

  private void awaitBlocked(ShardId shard, String lockType) throws SQLException {
    Connection watcher = cluster.asSuperuser(shard);
    opened.add(watcher);
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(10))
        .untilAsserted(
            () ->
                assertThat(
                        ask(
                            watcher,
                            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = '"
                                + lockType
                                + "'"))
                    .isEqualTo("1"));
  }

  private Connection client(ShardId shard) throws SQLException {
    return keep(cluster.asOwner(shard));
  }

  private Connection service(ShardId shard) throws SQLException {
    return keep(cluster.asService(shard));
  }

  private synchronized Connection keep(Connection connection) {
    opened.add(connection);
    return connection;
  }

  private void insertOwner(String tenant, int user, String email) throws SQLException {
    run(
        service(INDEX.shardOf(Tuple.of(tenant))),
        "INSERT INTO users VALUES (" + tenant + ", " + user + ", '" + email + "')");
  }

  private @Nullable String entry(String key) throws SQLException {
    List<List<@Nullable String>> rows = execute(service(A), SQL.read(Tuple.of(key)));
    return rows.isEmpty() ? null : rows.get(0).get(0);
  }

  private static void run(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getString(1);
    }
  }

  private static List<List<@Nullable String>> execute(Connection on, EntryStatement statement)
      throws SQLException {
    EntryStatement jdbc = statement.forJdbc();
    try (PreparedStatement prepared = on.prepareStatement(jdbc.sql())) {
      for (int i = 0; i < jdbc.parameters().size(); i++) {
        prepared.setObject(i + 1, jdbc.parameters().get(i), Types.OTHER);
      }
      if (!prepared.execute()) {
        return List.of();
      }
      List<List<@Nullable String>> rows = new ArrayList<>();
      try (ResultSet result = prepared.getResultSet()) {
        int width = result.getMetaData().getColumnCount();
        while (result.next()) {
          List<@Nullable String> row = new ArrayList<>();
          for (int column = 1; column <= width; column++) {
            row.add(result.getString(column));
          }
          rows.add(row);
        }
      }
      return rows;
    }
  }
}
