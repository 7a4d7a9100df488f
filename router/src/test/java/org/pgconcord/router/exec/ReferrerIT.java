package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.router.tx.UsersIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;
import org.pgconcord.testkit.invariant.IndexUnderTest;
import org.pgconcord.testkit.invariant.ReferrerChecker;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Orders refer to users by email, over shards: rows of a referrer and the mappings they name. */
class ReferrerIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);

  private static AtomicRig rig;
  private static Shards shards;

  @BeforeAll
  static void start() throws SQLException {
    rig = new AtomicRig();
    shards = rig.shards;
    for (ShardId shard : shards.cluster.shards()) {
      try (Connection owner = shards.cluster.asOwner(shard)) {
        run(owner, UsersByEmail.ordersTable());
      }
    }
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void twoUsers() {
    shards.empty();
    shards.cluster.shards().forEach(shard -> shards.run(shard, "TRUNCATE orders"));
    publish(GsiState.ENABLED);
    rig.network.begin(List.of());
    shards.run(A, "INSERT INTO users VALUES (%s, 1, 'u@a')".formatted(ON_A));
    shards.run(B, "INSERT INTO users VALUES (%s, 1, 'u@b')".formatted(ON_B));
    shards.run(
        A, "INSERT INTO users_by_email VALUES ('u@a', %s), ('u@b', %s)".formatted(ON_A, ON_B));
  }

  @AfterEach
  void nothingIsLeft() {
    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.prepared()).isZero());
  }

  /** The index in this state, listed by orders. */
  private static void publish(GsiState state) {
    long revision = rig.router.epochs.current().revision() + 1;
    RoutingState users = UsersIndex.routing(revision, state, revision);
    Map<TableName, TableSchema> tables = new HashMap<>(users.schemas().get("app"));
    tables.put(UsersByEmail.ORDERS, UsersByEmail.orders());
    rig.router.epochs.publish(
        new RoutingState(
            revision,
            UsersByEmail.withOrders(users.topology(), UsersIndex.INDEX.gsi()),
            users.gsis(),
            Map.of("app", tables)));
  }

  // --- what is checked -------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void aRowGoesInOnlyWithItsMapping(String mode) throws SQLException {
    try (Connection client = rig.router.connect(mode)) {
      for (String shop : List.of(ON_A, ON_B)) {
        run(client, order(shop, 1, "u@a"));
        run(client, order(shop, 2, "u@b"));
        ServerErrorMessage error = refused(client, order(shop, 3, "no@one"));
        assertThat(error.getSQLState()).isEqualTo("23503");
        assertThat(error.getMessage()).contains("orders").contains("by_email");
        assertThat(error.getDetail()).contains("(customer_email)=(no@one)").contains("users");
      }
    }
    assertThat(orders()).isEqualTo(4);
    mapped(Set.of());
  }

  @Test
  void manyRowsOverShardsAreCheckedTogether() throws SQLException {
    String rows =
        "INSERT INTO orders (shop_id, order_id, customer_email) VALUES (%1$s, 1, 'u@a'), (%2$s, 2,"
            + " 'u@b'), (%2$s, 3, 'u@a'), (%1$s, 4, '%3$s') RETURNING order_id";
    try (Connection client = rig.router.connect("simple")) {
      assertThat(refused(client, rows.formatted(ON_A, ON_B, "no@one")).getSQLState())
          .isEqualTo("23503");
      assertThat(orders()).isZero();
      run(client, rows.formatted(ON_A, ON_B, "u@b"));
      assertThat(orders()).isEqualTo(4);
      mapped(Set.of());
    }
  }

  @Test
  void defaultsAndTriggersSayWhatIsChecked() throws SQLException {
    shards.run(B, "ALTER TABLE orders ALTER customer_email SET DEFAULT 'no@one'");
    try (Connection client = rig.router.connect("simple")) {
      String insert = "INSERT INTO orders (shop_id, order_id) VALUES (%s, 1)".formatted(ON_B);
      assertThat(refused(client, insert).getDetail()).contains("no@one");
      shards.run(B, "ALTER TABLE orders ALTER customer_email SET DEFAULT 'u@a'");
      run(client, insert);
    } finally {
      shards.run(B, "ALTER TABLE orders ALTER customer_email DROP DEFAULT");
    }
  }

  @Test
  void nullIsRefusedWhereTheIndexDoesNotIgnoreIt() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      ServerErrorMessage error =
          refused(client, "INSERT INTO orders (shop_id, order_id) VALUES (%s, 1)".formatted(ON_B));
      assertThat(error.getSQLState()).isEqualTo("23502");
      assertThat(error.getMessage()).contains("customer_email");
    }
  }

  @Test
  void declaredColumnsAreNotUpdatedInAnyState() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, order(ON_B, 1, "u@a"));
      String update = "UPDATE orders SET customer_email = 'u@b' WHERE shop_id = " + ON_B;
      for (GsiState state : List.of(GsiState.ENABLED, GsiState.TAILING)) {
        publish(state);
        ServerErrorMessage error = refused(client, update);
        assertThat(error.getSQLState()).isEqualTo("0A000");
        assertThat(error.getMessage()).contains("write/declared-column");
      }
      run(client, "UPDATE orders SET note = 'x' WHERE shop_id = " + ON_B);
      run(client, "DELETE FROM orders WHERE shop_id = " + ON_B);
    }
  }

  @Test
  void anIndexThatIsNotMaintainedIsNotChecked() throws SQLException {
    publish(GsiState.TAILING);
    try (Connection client = rig.router.connect("simple")) {
      run(client, order(ON_B, 1, "no@one"));
      publish(GsiState.WRITE_ONLY);
      assertThat(refused(client, order(ON_B, 2, "no@one")).getSQLState()).isEqualTo("23503");
    }
  }

  // --- surplus and missing entries -------------------------------------------------------------

  @Test
  void anEntryWithoutOwnerRowIsNoMapping() throws SQLException {
    shards.run(A, "INSERT INTO users_by_email VALUES ('gone', %s)".formatted(ON_B));
    try (Connection client = rig.router.connect("simple")) {
      assertThat(refused(client, order(ON_A, 1, "gone")).getSQLState()).isEqualTo("23503");
    }
    assertThat(orders()).isZero();
  }

  @Test
  void anOwnerRowWithoutEntryYetIsOne() throws SQLException {
    shards.run(B, "INSERT INTO users VALUES (%s, 2, 'direct')".formatted(ON_B));
    try (Connection client = rig.router.connect("simple")) {
      run(client, order(ON_A, 1, "direct"));
    }
    assertThat(shards.entries()).containsEntry("direct", ON_B);
  }

  // --- own changes -----------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"multi", "atomic"})
  void aMappingOfTheSameTransactionCounts(String mode) throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = " + mode);
      for (String tenant : List.of(ON_A, ON_B)) {
        String email = "own@" + tenant;
        run(client, "BEGIN");
        run(client, user(tenant, 5, email));
        run(client, order(ON_A, 5, email));
        run(client, order(ON_B, 5, "u@a"));
        run(client, "COMMIT");
        assertThat(shards.entries()).containsEntry(email, tenant);
        shards.cluster.shards().forEach(shard -> shards.run(shard, "TRUNCATE orders"));
      }
    }
  }

  @Test
  void aMappingThatTheSameTransactionRemovedDoesNot() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      for (String tenant : List.of(ON_A, ON_B)) {
        String email = tenant.equals(ON_A) ? "u@a" : "u@b";
        run(client, "BEGIN");
        run(client, "DELETE FROM users WHERE tenant_id = " + tenant);
        assertThat(refused(client, order(ON_A, 1, email)).getSQLState()).isEqualTo("23503");
        run(client, "ROLLBACK");
        run(client, "BEGIN");
        run(client, user(tenant, 6, "tmp"));
        run(client, "DELETE FROM users WHERE user_id = 6 AND tenant_id = " + tenant);
        assertThat(refused(client, order(ON_A, 1, "tmp")).getSQLState()).isEqualTo("23503");
        run(client, "ROLLBACK");
        run(client, "BEGIN");
        run(client, "UPDATE users SET email = 'new' WHERE user_id = 1 AND tenant_id = " + tenant);
        run(client, "SAVEPOINT s");
        assertThat(refused(client, order(ON_A, 1, email)).getSQLState()).isEqualTo("23503");
        run(client, "ROLLBACK TO s");
        run(client, order(ON_A, 1, "new"));
        run(client, "ROLLBACK");
      }
    }
    assertThat(orders()).isZero();
  }

  @Test
  void aMappingThatIsHeldIsNotRemovedByTheSameTransaction() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      String delete = "DELETE FROM users WHERE tenant_id = " + ON_B;
      run(client, "BEGIN");
      run(client, order(ON_A, 1, "u@b"));
      ServerErrorMessage error = refused(client, delete);
      assertThat(error.getSQLState()).isEqualTo("23503");
      assertThat(error.getMessage()).contains("gsi/mapping-held");
      run(client, "ROLLBACK");
      run(client, "BEGIN");
      run(client, "SAVEPOINT s");
      run(client, order(ON_A, 1, "u@b"));
      run(client, "ROLLBACK TO s");
      run(client, delete);
      run(client, "COMMIT");
    }
    assertThat(orders()).isZero();
    assertThat(shards.entries()).doesNotContainKey("u@b");
  }

  @Test
  void anotherOwnerOfAHeldKeyIsADuplicateAtOnce() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      for (String tenant : List.of(ON_A, ON_B)) {
        run(client, "BEGIN");
        run(client, order(ON_A, 1, "u@b"));
        long begin = System.nanoTime();
        assertThat(refused(client, user(tenant, 9, "u@b")).getSQLState()).isEqualTo("23505");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
        run(client, "ROLLBACK");
      }
    }
  }

  // --- two sessions ----------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"multi", "atomic"})
  void aDeleteOfTheOwnerWaitsUntilTheRowHasCommitted(String mode) throws Exception {
    for (String email : List.of("u@a", "u@b")) {
      String tenant = email.equals("u@a") ? ON_A : ON_B;
      try (Connection first = rig.router.connect("simple");
          Connection second = rig.router.connect("simple")) {
        run(first, "SET pgconcord.tx_mode = " + mode);
        run(first, "BEGIN");
        run(first, order(ON_A, 1, email));
        run(first, order(ON_B, 1, email));
        CompletableFuture<Void> delete =
            started(second, "DELETE FROM users WHERE tenant_id = " + tenant);
        awaitWaitingOnEntry();
        assertThat(delete).isNotDone();
        assertThat(shards.entries()).containsKey(email);
        run(first, "COMMIT");
        delete.get();
      }
      assertThat(shards.entries()).doesNotContainKey(email);
      assertThat(shards.owners()).doesNotContainKey(email);
      assertThat(orders()).isEqualTo(2);
      shards.cluster.shards().forEach(shard -> shards.run(shard, "TRUNCATE orders"));
    }
  }

  @Test
  void aDeleteThatWasFirstEndsInAMissingMapping() throws Exception {
    try (Connection first = rig.router.connect("simple");
        Connection second = rig.router.connect("simple")) {
      run(first, "SET pgconcord.tx_mode = atomic");
      run(first, "BEGIN");
      run(first, "DELETE FROM users WHERE tenant_id = " + ON_A);
      run(first, "DELETE FROM users WHERE tenant_id = " + ON_B);
      rig.stops.stopAt(StopAt.Step.BEFORE_DECIDE);
      CompletableFuture<Void> delete = started(first, "COMMIT");
      rig.stops.awaitStopped();
      CompletableFuture<ServerErrorMessage> insert =
          CompletableFuture.supplyAsync(() -> refused(second, order(ON_A, 1, "u@b")));
      awaitWaitingOnEntry();
      assertThat(insert).isNotDone();
      rig.stops.wake();
      delete.get();
      assertThat(insert.get().getSQLState()).isEqualTo("23503");
    }
    assertThat(orders()).isZero();
  }

  @Test
  void aDeleteThatIsUndecidedForTooLongEndsInALockTimeout() throws Exception {
    try (Connection first = rig.router.connect("simple");
        Connection second = rig.router.connect("simple")) {
      run(first, "SET pgconcord.tx_mode = atomic");
      run(first, "BEGIN");
      run(first, "DELETE FROM users WHERE tenant_id = " + ON_A);
      run(first, "DELETE FROM users WHERE tenant_id = " + ON_B);
      rig.stops.stopAt(StopAt.Step.BEFORE_DECIDE);
      CompletableFuture<Void> delete = started(first, "COMMIT");
      rig.stops.awaitStopped();
      run(second, "SET lock_timeout = 300");
      assertThat(refused(second, order(ON_A, 1, "u@b")).getSQLState()).isEqualTo("55P03");
      rig.stops.wake();
      delete.get();
    }
    assertThat(orders()).isZero();
  }

  @Test
  void anOwnerThatHasNotCommittedIsNone() throws Exception {
    try (Connection first = rig.router.connect("simple");
        Connection second = rig.router.connect("simple")) {
      run(first, "BEGIN");
      run(first, user(ON_B, 7, "open"));
      assertThat(refused(second, order(ON_A, 1, "open")).getSQLState()).isEqualTo("23503");
      run(first, "COMMIT");
      run(second, order(ON_A, 1, "open"));
    }
  }

  /** The entry is there, its owner's MAIN is open and holds the key lock. */
  @Test
  void anOwnerBetweenPreAndMainIsWaitedFor() throws Exception {
    for (boolean commits : List.of(true, false)) {
      String email = "between-" + commits;
      long lock = UsersIndex.INDEX.keyLock(org.pgconcord.config.value.Tuple.of(email));
      try (Connection creator = shards.cluster.asOwner(B);
          Connection client = rig.router.connect("simple")) {
        creator.setAutoCommit(false);
        run(creator, user(ON_B, 8, email));
        run(creator, "SELECT pg_advisory_xact_lock_shared(" + lock + ")");
        shards.run(A, "INSERT INTO users_by_email VALUES ('%s', %s)".formatted(email, ON_B));
        CompletableFuture<Void> insert = started(client, order(ON_A, 1, email));
        await()
            .until(
                () -> shards.ask(B, "SELECT count(*) FROM pg_locks WHERE NOT granted").equals("1"));
        assertThat(insert).isNotDone();
        if (commits) {
          creator.commit();
          insert.get();
          run(client, "DELETE FROM orders WHERE shop_id = " + ON_A);
          run(client, "DELETE FROM users WHERE user_id = 8 AND tenant_id = " + ON_B);
        } else {
          creator.rollback();
          assertThatCode(insert::get).hasMessageContaining("by_email");
        }
      }
    }
    assertThat(orders()).isZero();
  }

  @Test
  void twoThatDeleteWhatTheOtherRefersToEnd() throws Exception {
    try (Connection first = rig.router.connect("simple");
        Connection second = rig.router.connect("simple")) {
      run(first, "BEGIN");
      run(second, "BEGIN");
      run(first, order(ON_A, 1, "u@a"));
      run(second, order(ON_A, 2, "u@b"));
      run(first, "DELETE FROM users WHERE tenant_id = " + ON_B);
      run(second, "DELETE FROM users WHERE tenant_id = " + ON_A);
      CompletableFuture<Void> one = started(first, "COMMIT");
      CompletableFuture<Void> other = started(second, "COMMIT");
      List<String> ends = new ArrayList<>();
      for (CompletableFuture<Void> end : List.of(one, other)) {
        ends.add(end.handle((done, failure) -> failure == null ? "ok" : "failed").get());
      }
      assertThat(ends).contains("failed");
    }
    assertThat(shards.owners().keySet()).isEqualTo(shards.entries().keySet());
  }

  // --- many ------------------------------------------------------------------------------------

  /**
   * A row that went in had its mapping: its COMMIT did not begin after the DELETE of the owner had
   * been answered. No email comes back.
   */
  @Test
  void noRowGoesInAfterItsMappingHasGone() throws Exception {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Map<String, Long> made = new ConcurrentHashMap<>();
    Map<String, Long> gone = new ConcurrentHashMap<>();
    Set<String> wrong = ConcurrentHashMap.newKeySet();
    AtomicInteger inserted = new AtomicInteger();
    AtomicInteger ids = new AtomicInteger(100);
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int n = 0; n < 8; n++) {
      Random random = new Random(seed + n);
      boolean owner = n < 3;
      int number = n;
      clients.add(
          CompletableFuture.runAsync(
              () -> {
                try (Connection client = rig.router.connect("simple")) {
                  run(client, "SET lock_timeout = 2000");
                  for (int round = 0; round < 60; round++) {
                    if (owner) {
                      ownerLives(client, number, round, made, gone);
                    } else {
                      refer(client, random, made, gone, wrong, inserted, ids);
                    }
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).get();
    assertThat(wrong).as("seed " + seed).isEmpty();
    assertThat(inserted).as("seed " + seed).hasPositiveValue();
    assertThat(orders()).isEqualTo(inserted.get());
    mapped(gone.keySet());
    assertThat(new HashSet<>(shards.owners().keySet())).isEqualTo(shards.entries().keySet());
  }

  private static void ownerLives(
      Connection client, int number, int round, Map<String, Long> made, Map<String, Long> gone)
      throws SQLException {
    String tenant = round % 2 == 0 ? ON_A : ON_B;
    String email = "e" + number + "-" + round;
    String id = Integer.toString(1000 + number * 1000 + round);
    made.put(email, System.nanoTime());
    run(client, user(tenant, Integer.parseInt(id), email));
    for (int tries = 0; tries < 20; tries++) {
      try {
        run(
            client,
            "DELETE FROM users WHERE tenant_id = %s AND user_id = %s".formatted(tenant, id));
        gone.put(email, System.nanoTime());
        return;
      } catch (SQLException e) {
        assertThat(e.getSQLState()).isIn("55P03", "40P01");
      }
    }
  }

  private static void refer(
      Connection client,
      Random random,
      Map<String, Long> made,
      Map<String, Long> gone,
      Set<String> wrong,
      AtomicInteger inserted,
      AtomicInteger ids)
      throws SQLException {
    List<String> known = new ArrayList<>(made.keySet());
    String email =
        known.isEmpty() ? "none" : known.get(known.size() - 1 - random.nextInt(known.size()) / 8);
    try {
      run(client, "BEGIN");
      run(client, order(random.nextBoolean() ? ON_A : ON_B, ids.incrementAndGet(), email));
      run(client, "SELECT count(*) FROM orders WHERE shop_id = " + ON_A);
      long begin = System.nanoTime();
      run(client, "COMMIT");
      inserted.incrementAndGet();
      Long deleted = gone.get(email);
      if (email.equals("none") || (deleted != null && deleted < begin)) {
        wrong.add(email);
      }
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isIn("23503", "55P03", "40P01");
      run(client, "ROLLBACK");
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  /** R1, past the router. */
  private static void mapped(Set<String> gone) throws SQLException {
    ReferrerChecker checker =
        new ReferrerChecker(
            UsersByEmail.ORDERS,
            List.of("customer_email"),
            shards.cluster.shards(),
            IndexUnderTest.usersByEmail(shards.cluster.shards()),
            shards.cluster::asSuperuser);
    assertThat(checker.named()).isPositive();
    assertThat(checker.violations(gone.stream().map(Tuple::of).collect(Collectors.toSet())))
        .isEmpty();
  }

  private static String order(String shop, int id, String email) {
    return "INSERT INTO orders (shop_id, order_id, customer_email) VALUES (%s, %d, '%s')"
        .formatted(shop, id, email);
  }

  private static String user(String tenant, int id, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, id, email);
  }

  private static int orders() {
    return shards.cluster.shards().stream()
        .mapToInt(shard -> Integer.parseInt(shards.ask(shard, "SELECT count(*) FROM orders")))
        .sum();
  }

  private static void awaitWaitingOnEntry() {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                !shards
                    .ask(
                        A,
                        "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                            + " AND query LIKE '%users_by_email%'")
                    .equals("0"));
  }

  private static CompletableFuture<Void> started(Connection client, String sql) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            run(client, sql);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private static ServerErrorMessage refused(Connection client, String sql) {
    PSQLException error = catchThrowableOfType(PSQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error.getServerErrorMessage();
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
