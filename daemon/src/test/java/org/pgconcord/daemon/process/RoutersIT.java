package org.pgconcord.daemon.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.pgconcord.daemon.process.SampleSystem.RouterAlone;
import org.pgconcord.testkit.cluster.ClusterSettings;
import org.pgconcord.testkit.cluster.ShardProcess;

/** Two routers over one catalog and four shards, while the index goes up and down. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RoutersIT {
  private static final int CLIENTS = 16;
  private static final Set<String> FAIR =
      Set.of("23505", "40001", "40P01", "55P03", "0A000", "2D000");

  private final Suite suite = Suite.begin("routers", 40);
  private final AtomicLong users = new AtomicLong(20_000_000);
  private SampleSystem system;
  private DaemonProcess daemon;
  private RouterAlone other;
  private Gsi gsi;

  @BeforeAll
  void start() throws Exception {
    system = SampleSystem.start(ClusterSettings.of(4), 200, suite.seed());
    daemon = system.startDaemon();
    other = system.startRouter();
    gsi = new Gsi(daemon);
    gsi.build();
  }

  @AfterAll
  void stop() {
    other.close();
    system.close();
  }

  @Test
  @Order(1)
  void theDaemonListsBothRouters() {
    assertThat(daemon.client().get("/topology").path("routers")).hasSize(2);
  }

  @Test
  @Order(2)
  void theIndexGoesUpAndDownUnderTheWritersOfBoth() throws Exception {
    try (Writers writers =
        new Writers(10_000_000)
            .throughRouter(system, 4, suite.seed())
            .through(other::connect, 4, suite.seed() + 50)) {
      assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
      assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
      writers.stop();
      assertThat(writers.reads()).isPositive();
    }
    assertThat(gsi.verifyAndEnable().path("state").asText()).isEqualTo("enabled");
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  @Test
  @Order(3)
  void noTwoRowsHaveOneKeyWhoeverWritesThem() throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Integer>> done = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      boolean here = client % 2 == 0;
      long seed = suite.seed() + client;
      done.add(pool.submit((Callable<Integer>) () -> collide(here, new Random(seed))));
    }
    int written = 0;
    for (Future<Integer> each : done) {
      written += each.get(120, TimeUnit.SECONDS);
    }
    pool.shutdown();
    assertThat(written).isGreaterThan(suite.count());
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  private int collide(boolean here, Random random) throws SQLException {
    List<long[]> mine = new ArrayList<>();
    int written = 0;
    try (Connection client = here ? system.router() : other.connect()) {
      for (int i = 0; i < suite.count(); i++) {
        String email = "hot" + random.nextInt(30) + "@collide.example";
        int what = mine.isEmpty() ? 0 : random.nextInt(3);
        long[] row =
            what == 0
                ? new long[] {1 + random.nextInt(1_000), users.incrementAndGet()}
                : mine.get(random.nextInt(mine.size()));
        String sql =
            switch (what) {
              case 0 -> "INSERT INTO users (email, tenant_id, user_id) VALUES (?, ?, ?)";
              case 1 -> "UPDATE users SET email = ? WHERE tenant_id = ? AND user_id = ?";
              default -> "DELETE FROM users WHERE ? <> '' AND tenant_id = ? AND user_id = ?";
            };
        try (PreparedStatement statement = client.prepareStatement(sql)) {
          statement.setString(1, email);
          statement.setLong(2, row[0]);
          statement.setLong(3, row[1]);
          written += statement.executeUpdate();
          if (what == 0) {
            mine.add(row);
          } else if (what == 2) {
            mine.remove(row);
          }
        } catch (SQLException e) {
          assertThat(FAIR).as(e.getMessage()).contains(e.getSQLState());
        }
      }
    }
    return written;
  }

  /** No server sees both waits, and no router has both sessions. */
  @Test
  @Order(4)
  void aDeadlockOverTwoRoutersEndsForOneOfTheTwo() throws Exception {
    String onOne = renameOn(0);
    String onOther = renameOn(1);
    oneOfTwoEnds(onOne, onOther, onOther, onOne);
  }

  /** The entry is locked by a backend that is not the client's. */
  @Test
  @Order(4)
  void anEntryAndARowThatCrossOverTwoRoutersEndForOneOfTheTwo() throws Exception {
    String row = renameOn(1);
    oneOfTwoEnds(crossing(), row, row, crossing());
  }

  private void oneOfTwoEnds(String first, String second, String thenFirst, String thenSecond)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(2);
    Connection here = system.router();
    Connection there = other.connect();
    try {
      for (Connection client : List.of(here, there)) {
        client.setAutoCommit(false);
        run(client, "SET LOCAL lock_timeout = 0");
      }
      run(here, first);
      run(there, second);
      long begin = System.nanoTime();
      Future<String> one = pool.submit(() -> endOf(here, thenFirst));
      Future<String> two = pool.submit(() -> endOf(there, thenSecond));
      assertThat(List.of(one.get(60, TimeUnit.SECONDS), two.get(60, TimeUnit.SECONDS)))
          .containsExactlyInAnyOrder("40P01", "00000");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
    } finally {
      here.abort(Runnable::run);
      there.abort(Runnable::run);
      pool.shutdown();
    }
  }

  private static String endOf(Connection client, String sql) throws SQLException {
    String state = stateOf(client, sql);
    client.rollback();
    return state;
  }

  private String crossing() {
    long user = users.incrementAndGet();
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, %d, 'crossing@routers')"
        .formatted(1 + user % 1_000, user);
  }

  private String renameOn(int which) throws SQLException {
    try (Connection owner = system.cluster().asOwner(system.cluster().shards().get(which));
        Statement statement = owner.createStatement();
        var row = statement.executeQuery("SELECT tenant_id, user_id FROM users LIMIT 1")) {
      row.next();
      return "UPDATE users SET name = 'd' WHERE tenant_id = %d AND user_id = %d"
          .formatted(row.getLong(1), row.getLong(2));
    }
  }

  /**
   * As after a restore, or a failover to a standby that had not got everything: an entry is gone
   * that a router had been told was there. Until it is back nobody may miss the row.
   */
  @Test
  @Order(4)
  void entriesLostByAServersFollowerAreBackBeforeTheIndexIsReadAgain() throws Exception {
    String email;
    try (Connection client = system.router()) {
      String insert = insert("lost");
      run(client, insert);
      email = insert.substring(insert.indexOf("'lost") + 1, insert.length() - 2);
    }
    ShardProcess lookup = system.cluster().shard(system.cluster().shards().get(0));
    try (Connection admin = system.cluster().asSuperuser(lookup)) {
      run(admin, "DELETE FROM users_by_email WHERE email = '" + email + "'");
    }
    lookup.stop();
    lookup.restoreAtTheNextStart();
    lookup.start();
    Duration patient = Duration.ofSeconds(90);
    String reason = "reason=\"shard " + lookup.id() + " has another server\"";
    await().atMost(patient).until(() -> daemon.log().contains(reason));
    await().atMost(patient).until(() -> gsi.state().equals("enabled"));
    gsi.awaitIdle();
    String rows = "SELECT 1 FROM users WHERE email = '" + email + "'";
    await()
        .atMost(patient)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              for (Connection client : List.of(system.router(), other.connect())) {
                try (client;
                    Statement statement = client.createStatement()) {
                  assertThat(statement.executeQuery(rows).next()).isTrue();
                }
              }
            });
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  @Test
  @Tag("long")
  @Order(4)
  void withoutItsLeaseARouterStartsNothingOnTheTableUntilItHasItAgain() throws Exception {
    try (Connection client = other.connect();
        Connection home = system.cluster().asSuperuser(system.cluster().shards().get(0))) {
      run(client, insert("before"));
      home.setAutoCommit(false);
      run(home, "LOCK TABLE pgconcord.router IN ACCESS EXCLUSIVE MODE");
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> "57P03".equals(stateOf(client, insert("lapsed" + users.get()))));
      assertThat(stateOf(client, "SELECT 1 FROM users WHERE tenant_id = 1")).isEqualTo("57P03");
      assertThat(stateOf(client, "SELECT 1")).isEqualTo("00000");
      assertThat(other.process().status("/readyz")).isEqualTo(503);
      home.commit();
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> "00000".equals(stateOf(client, insert("after" + users.get()))));
    }
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  @Test
  @Order(5)
  void aRouterFrozenOverAStepDownLeavesNothingBehind() throws Exception {
    try (Connection writer = other.connect();
        Connection idle = other.connect()) {
      writer.setAutoCommit(false);
      run(writer, insert("frozen-writer"));
      run(idle, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      run(idle, "SELECT 1 FROM users WHERE tenant_id = 1");
      other.process().signal("STOP");
      assertThat(gsi.disable().path("state").asText()).isEqualTo("tailing");
      assertThat(daemon.log()).contains("a writer without a lease is ended");
      other.process().signal("CONT");
      assertThatThrownBy(writer::commit).isInstanceOf(SQLException.class);
      assertThat(stateOf(idle, insert("idle"))).isIn("00000", "40001", "57P03");
    }
    assertThat(rowsOf("frozen-writer%")).isZero();
  }

  @Test
  @Tag("long")
  @Order(6)
  void aRouterFrozenOverACutoverDoesNotWriteUnmaintained() throws Exception {
    awaitLease();
    try (Connection waiting = other.connect();
        Connection late = other.connect()) {
      run(waiting, "BEGIN");
      run(waiting, "SELECT 1 FROM users WHERE tenant_id = 1");
      other.process().signal("STOP");
      gsi.verifyAndEnable();
      ExecutorService one = Executors.newSingleThreadExecutor();
      Future<String> sentWhileFrozen = one.submit(() -> stateOf(late, insert("woken-late")));
      other.process().signal("CONT");
      assertThat(stateOf(waiting, insert("woken-waiting"))).isIn("00000", "40001", "57P03");
      assertThat(sentWhileFrozen.get(20, TimeUnit.SECONDS)).isIn("00000", "40001", "57P03");
      one.shutdown();
    }
    // Planned under the new state or not at all: never a row whose entry is yet to come.
    assertThat(system.checker().violations().stream().filter(v -> v.toString().contains("woken")))
        .isEmpty();
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  @Test
  @Order(7)
  void whatADeadRouterMayHaveLeftIsLookedFor() throws Exception {
    other.process().kill();
    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> daemon.client().get("/topology").path("routers").size() == 1);
    assertThat(daemon.log()).contains("router lease has lapsed", "copies marked until verified");
    try (Connection client = system.router()) {
      run(client, insert("last"));
    }
    system.checker().awaitNone(Duration.ofSeconds(30));
  }

  // --- tools -------------------------------------------------------------------------------------

  private void awaitLease() {
    await().atMost(Duration.ofSeconds(30)).until(() -> other.process().status("/readyz") == 200);
  }

  private String insert(String name) {
    long user = users.incrementAndGet();
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%d, %d, '%s-%d@routers.example')"
        .formatted(1 + user % 1_000, user, name, user);
  }

  private long rowsOf(String pattern) throws SQLException {
    long rows = 0;
    for (var shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement();
          var row =
              statement.executeQuery(
                  "SELECT count(*) FROM users WHERE email LIKE '" + pattern + "'")) {
        row.next();
        rows += row.getLong(1);
      }
    }
    return rows;
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  /** SQLSTATE of a statement, 00000 when it succeeds. */
  private static String stateOf(Connection client, String sql) {
    try {
      run(client, sql);
      return "00000";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }
}
