package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.pgconcord.config.catalog.Fences;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.schema.UniqueKey;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.GsiMode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.CoveringSwitch;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.router.RouterServer;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.router.tx.UsersIndex;
import org.pgconcord.testkit.cluster.CommitHook;
import org.pgconcord.testkit.fixture.UsersByEmail;
import org.postgresql.util.PSQLException;

/** Reads that an entry of a covering index answers by itself, and when it must not. */
class CoveringIT {
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final LookupIndex INDEX = covering();
  private static final String STOP_POST =
      "CREATE CONSTRAINT TRIGGER stop AFTER DELETE ON users_by_email DEFERRABLE INITIALLY DEFERRED"
          + " FOR EACH ROW EXECUTE FUNCTION stop()";
  private static final CommitHook HOOK = new CommitHook("held", "users");
  private static final String READ = "SELECT tenant_id, email FROM users WHERE email = '%s'";

  private static AtomicRig rig;
  private static Shards shards;

  private static LookupIndex covering() {
    Gsi gsi = UsersIndex.INDEX.gsi().answering();
    return LookupIndex.resolve(topology(gsi), UsersIndex.INDEX.owner(), gsi);
  }

  private static Topology topology(Gsi gsi) {
    Topology plain = UsersIndex.routing(1, GsiState.ENABLED, 1).topology();
    Topology.LogicalDatabase app = plain.database("app").orElseThrow();
    return new Topology(
        plain.authoritativeGroup(),
        plain.groups(),
        plain.indexes(),
        Map.of(
            "app",
            new Topology.LogicalDatabase(
                "app", app.tables(), List.of(gsi), app.schemaDefaults(), app.fallback())));
  }

  @BeforeAll
  static void start() throws SQLException {
    rig = new AtomicRig();
    shards = rig.shards;
    try (Connection service = shards.cluster.asService(A)) {
      for (String ddl : LookupDdl.createCovering(INDEX)) {
        run(service, ddl);
      }
    }
    for (ShardId shard : shards.cluster.shards()) {
      shards.run(shard, "CREATE ROLE limited");
      shards.run(shard, "SET ROLE demo; " + UsersByEmail.ordersTable() + "; RESET ROLE");
      shards.run(shard, "GRANT limited TO demo");
      shards.run(
          shard,
          "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END'");
    }
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void twoUsers() throws SQLException {
    shards.empty();
    publish(GsiState.ENABLED, false);
    rig.network.begin(List.of());
    switchTo(true);
    shards.run(A, "INSERT INTO users VALUES (%s, 1, 'u@a')".formatted(ON_A));
    shards.run(B, "INSERT INTO users VALUES (%s, 1, 'u@b')".formatted(ON_B));
    shards.run(
        A, "INSERT INTO users_by_email VALUES ('u@a', %s), ('u@b', %s)".formatted(ON_A, ON_B));
  }

  @AfterEach
  void nothingIsLeft() {
    await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(rig.prepared()).isZero());
    for (ShardId shard : shards.cluster.shards()) {
      shards.run(shard, "DROP TRIGGER IF EXISTS stop ON users");
      HOOK.drop().forEach(sql -> shards.run(shard, sql));
    }
    shards.run(A, "DROP TRIGGER IF EXISTS stop ON users_by_email");
  }

  private static void publish(GsiState state, boolean ownerSecurity) {
    publish(INDEX.gsi(), state, ownerSecurity);
  }

  private static void publish(Gsi gsi, GsiState state, boolean ownerSecurity) {
    publish(topology(gsi), state, ownerSecurity);
  }

  private static void publish(Topology topology, GsiState state, boolean ownerSecurity) {
    long revision = rig.router.epochs.current().revision() + 1;
    RoutingState plain = UsersIndex.routing(revision, state, revision);
    Map<TableName, TableSchema> tables = new HashMap<>(plain.schemas().get("app"));
    TableSchema users = INDEX.owner();
    tables.put(
        UsersByEmail.USERS,
        new TableSchema(
            users.name(),
            'r',
            users.columns(),
            users.uniqueKeys(),
            'f',
            users.replicaIdentityColumns(),
            ownerSecurity,
            0));
    tables.put(UsersByEmail.LOOKUP, lookupTable());
    tables.put(UsersByEmail.ORDERS, UsersByEmail.orders());
    rig.router.epochs.publish(
        new RoutingState(revision, topology, plain.gsis(), Map.of("app", tables))
            .withFences(new Fences(Map.of(LiveRouter.USERS, revision))));
  }

  /** As gsi build makes it. */
  static TableSchema lookupTable() {
    return new TableSchema(
        UsersByEmail.LOOKUP,
        'r',
        List.of(
            new Column("email", 1, 25, "text", "default", true, true, false, false),
            new Column("tenant_id", 2, 20, "bigint", null, true, true, false, false),
            new Column(Gsi.PENDING, 3, 25, "text", "default", true, false, false, false)),
        List.of(new UniqueKey("users_by_email_pkey", List.of("email"), true, true)),
        'd',
        List.of("email"),
        false,
        0);
  }

  private static void switchTo(boolean on) throws SQLException {
    try (Connection service = shards.cluster.asService(A)) {
      CoveringSwitch covering = new CoveringSwitch(INDEX);
      covering.off(service);
      if (on) {
        assertThat(covering.on(service, covering.count(service), Duration.ofHours(1))).isTrue();
      }
    }
  }

  // --- what is answered, and by whom -----------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended", "extendedForPrepared"})
  void theAnswerIsTheOwnersByteForByte(String mode) throws SQLException {
    for (String sql :
        List.of(
            "SELECT tenant_id, email FROM users WHERE email = ",
            "SELECT email AS e, tenant_id \"T\", email FROM users u WHERE u.email = ",
            "SELECT public.users.tenant_id FROM public.users WHERE email = ")) {
      for (String email : List.of("'u@a'", "'u@b'", "'no@one'")) {
        List<List<String>> answers = new ArrayList<>();
        for (String setting : List.of("off", "on")) {
          try (Connection client =
              rig.router.connect(
                  mode, "binaryTransfer", Boolean.toString(!mode.equals("simple")))) {
            run(client, "SET pgconcord.covering = " + setting);
            List<String> each = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
              each.add(described(client, sql + email));
            }
            answers.add(each);
          }
        }
        assertThat(answers.get(1)).as(sql + email).isEqualTo(answers.get(0));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"simple", "extended"})
  void theEntryAloneAnswers(String mode) throws SQLException {
    ownersAreGone();
    try (Connection client = rig.router.connect(mode)) {
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_B + "|u@b");
      assertThat(rows(client, "SELECT email FROM users WHERE email = 'u@a'"))
          .containsExactly("u@a");
      if (!mode.equals("simple")) {
        byParameter(client);
      }
      run(client, "SET pgconcord.covering = off");
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
    }
  }

  private static void byParameter(Connection client) throws SQLException {
    try (PreparedStatement read =
        client.prepareStatement("SELECT tenant_id FROM users WHERE email = ?")) {
      read.setString(1, "u@b");
      for (int i = 0; i < 8; i++) {
        try (ResultSet result = read.executeQuery()) {
          assertThat(result.next()).isTrue();
          assertThat(result.getLong(1)).isEqualTo(Long.parseLong(ON_B));
        }
      }
      run(client, "SET pgconcord.covering = off");
      try (ResultSet result = read.executeQuery()) {
        assertThat(result.next()).isFalse();
      }
      run(client, "SET pgconcord.covering = on");
    }
  }

  @Test
  void whoInsertsAndLeavesAtOnceLeavesNoToken() throws SQLException {
    for (int i = 0; i < 5; i++) {
      try (Connection client = rig.router.connect("simple")) {
        run(client, "INSERT INTO users VALUES (%s, %d, 'left%d@b')".formatted(ON_B, 100 + i, i));
      }
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> tokens().equals("0"));
  }

  @Test
  void anyOtherShapeReadsTheOwnerRow() throws SQLException {
    ownersAreGone();
    try (Connection client = rig.router.connect("simple")) {
      for (String sql :
          List.of(
              "SELECT tenant_id, name FROM users WHERE email = 'u@b'",
              "SELECT * FROM users WHERE email = 'u@b'",
              "SELECT tenant_id + 1 FROM users WHERE email = 'u@b'",
              "SELECT tenant_id FROM users WHERE email = 'u@b' AND name IS NULL",
              "SELECT tenant_id FROM users WHERE email = 'u@b' LIMIT 1",
              "SELECT tenant_id FROM users WHERE email = 'u@b' FOR UPDATE",
              "SELECT tenant_id FROM users WHERE email = 'u@b' ORDER BY 1",
              "SELECT DISTINCT tenant_id FROM users WHERE email = 'u@b'",
              "SELECT xmin FROM users WHERE email = 'u@b'",
              "SELECT users FROM users WHERE email = 'u@b'")) {
        assertThat(rows(client, sql)).as(sql).isEmpty();
      }
      assertThat(rows(client, "SELECT count(*) FROM users WHERE email = 'u@b'"))
          .containsExactly("0");
      assertThat(String.join("\n", rows(client, "EXPLAIN (ROUTER) " + READ.formatted("u@b"))))
          .contains("Covering: the entry answers");
      assertThat(
              String.join(
                  "\n",
                  rows(client, "EXPLAIN (ROUTER) SELECT name FROM users WHERE email = 'u@b'")))
          .contains("does not answer by itself: its entries have no column \"name\"");
    }
  }

  @Test
  void aTokenOrTheSwitchLeadsToTheOwnerRow() throws SQLException {
    ownersAreGone();
    try (Connection client = rig.router.connect("simple")) {
      shards.run(A, "UPDATE users_by_email SET pgconcord_pending = 'x' WHERE email = 'u@b'");
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
      assertThat(rows(client, READ.formatted("u@a"))).hasSize(1);
      switchTo(false);
      assertThat(rows(client, READ.formatted("u@a"))).isEmpty();
      switchTo(true);
      assertThat(rows(client, READ.formatted("u@a"))).hasSize(1);
    }
  }

  /** Its entries may be of a time when routers did not maintain them. */
  @Test
  void withoutItsLeaseOrPastItsEpochNoEntryAnswers() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_B + "|u@b");
      rig.router.leased = false;
      assertThat(refused(client, READ.formatted("u@b")).getSQLState()).isEqualTo("57P03");
      rig.router.leased = true;
      ownersAreGone();
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_B + "|u@b");
      // Another router has heard of a later state: this one goes by the owners until it has, too.
      try (Connection service = shards.cluster.asService(A)) {
        run(service, LookupDdl.raiseReadEpoch(INDEX, rig.router.epochs.current().revision() + 1));
      }
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
      publish(GsiState.ENABLED, false);
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_B + "|u@b");
    } finally {
      rig.router.leased = true;
    }
  }

  @Test
  void aFixedSnapshotAndOwnChangesReadTheOwnerRow() throws SQLException {
    ownersAreGone();
    try (Connection client = rig.router.connect("simple")) {
      run(client, "BEGIN ISOLATION LEVEL REPEATABLE READ");
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
      run(client, "ROLLBACK");
      run(client, "BEGIN");
      assertThat(rows(client, READ.formatted("u@b"))).hasSize(1);
      run(client, user(ON_B, 5, "new"));
      assertThat(rows(client, READ.formatted("new"))).containsExactly(ON_B + "|new");
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
      run(client, "DELETE FROM users WHERE user_id = 5 AND tenant_id = " + ON_B);
      assertThat(rows(client, READ.formatted("new"))).isEmpty();
      run(client, "ROLLBACK");
    }
  }

  @Test
  void rightsAreTheOwners() throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET ROLE limited");
      assertThat(refused(client, READ.formatted("u@b")).getSQLState()).isEqualTo("42501");
      for (ShardId shard : shards.cluster.shards()) {
        shards.run(shard, "GRANT SELECT (email) ON users TO limited");
      }
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(refused(client, READ.formatted("u@b")).getSQLState())
                      .isEqualTo("42501"));
      run(client, "RESET ROLE");
      assertThat(rows(client, READ.formatted("u@b"))).hasSize(1);
    } finally {
      for (ShardId shard : shards.cluster.shards()) {
        shards.run(shard, "REVOKE ALL ON users FROM limited");
      }
    }
  }

  @Test
  void rowSecurityOfTheOwnerAloneIsRefusedAtPlanning() throws SQLException {
    publish(GsiState.ENABLED, true);
    try (Connection client = rig.router.connect("simple")) {
      PSQLException error = refused(client, READ.formatted("u@b"));
      assertThat(error.getSQLState()).isEqualTo("0A000");
      assertThat(error.getMessage()).contains("gsi/covering-row-security");
      assertThat(rows(client, "SELECT name FROM users WHERE email = 'u@b'")).hasSize(1);
      run(client, "SET pgconcord.covering = off");
      assertThat(rows(client, READ.formatted("u@b"))).hasSize(1);
    }
  }

  /** Before the daemon has told of it. */
  @Test
  void rowSecurityThatIsNotKnownYetIsKept() throws SQLException {
    for (ShardId shard : shards.cluster.shards()) {
      shards.run(shard, "ALTER TABLE users ENABLE ROW LEVEL SECURITY");
      shards.run(shard, "GRANT SELECT ON users TO limited");
    }
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET ROLE limited");
      assertThat(rows(client, READ.formatted("u@b"))).isEmpty();
    } finally {
      for (ShardId shard : shards.cluster.shards()) {
        shards.run(shard, "ALTER TABLE users DISABLE ROW LEVEL SECURITY");
        shards.run(shard, "REVOKE ALL ON users FROM limited");
      }
    }
  }

  // --- writers ---------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"multi", "atomic"})
  void writesLeaveNoToken(String mode) throws SQLException {
    try (Connection client = rig.router.connect("simple")) {
      run(client, "SET pgconcord.tx_mode = " + mode);
      for (String tenant : List.of(ON_A, ON_B)) {
        run(client, user(tenant, 2, "w@" + tenant));
        run(
            client,
            "UPDATE users SET email = 'v@%1$s' WHERE user_id = 2 AND tenant_id = %1$s"
                .formatted(tenant));
      }
      run(client, "BEGIN");
      run(client, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + ON_A);
      run(client, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + ON_B);
      run(client, user(ON_A, 7, "u@b"));
      run(client, "COMMIT");
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_A + "|u@b");
      assertThat(rows(client, READ.formatted("v@" + ON_B))).hasSize(1);
      assertThat(rows(client, READ.formatted("w@" + ON_B))).isEmpty();
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> tokens().equals("0"));
    assertThat(shards.entries()).hasSize(3);
  }

  @Test
  void betweenPreAndMainTheEntryDoesNotAnswer() throws Exception {
    HOOK.create("INSERT", "true", "PERFORM pg_advisory_xact_lock(42);")
        .forEach(sql -> shards.run(B, sql));
    try (Connection lock = shards.cluster.asSuperuser(B);
        Connection writer = rig.router.connect("simple");
        Connection reader = rig.router.connect("simple")) {
      hold(lock);
      CompletableFuture<Void> insert = started(writer, user(ON_B, 3, "new"));
      awaitStopped(B);
      assertThat(shards.entries()).containsKey("new");
      assertThat(rows(reader, READ.formatted("new"))).isEmpty();
      run(lock, "SELECT pg_advisory_unlock(42)");
      insert.get();
      assertThat(rows(reader, READ.formatted("new"))).containsExactly(ON_B + "|new");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"DELETE", "UPDATE"})
  void betweenMainAndPostTheEntryDoesNotAnswer(String what) throws Exception {
    shards.run(A, STOP_POST);
    String change =
        what.equals("DELETE")
            ? "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + ON_B
            : "UPDATE users SET email = 'other' WHERE user_id = 1 AND tenant_id = " + ON_B;
    try (Connection lock = shards.cluster.asSuperuser(A);
        Connection writer = rig.router.connect("simple");
        Connection reader = rig.router.connect("simple")) {
      hold(lock);
      run(reader, "SET lock_timeout = 300");
      CompletableFuture<Void> done = started(writer, change);
      awaitStopped(A);
      assertThat(shards.owners()).doesNotContainKey("u@b");
      assertThat(shards.entries()).containsKey("u@b");
      // Never the row that is gone: the second look at the entry waits for POST.
      assertThat(refused(reader, READ.formatted("u@b")).getSQLState()).isEqualTo("55P03");
      run(lock, "SELECT pg_advisory_unlock(42)");
      done.get();
      assertThat(rows(reader, READ.formatted("u@b"))).isEmpty();
    }
  }

  @Test
  void aDeleteThatFailsLeavesATokenThatASettlementTakesOff() throws Exception {
    shards.run(
        B,
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
            + " 'BEGIN RAISE EXCEPTION ''no''; END'");
    shards.run(
        B,
        "CREATE CONSTRAINT TRIGGER stop AFTER DELETE ON users DEFERRABLE INITIALLY DEFERRED FOR"
            + " EACH ROW EXECUTE FUNCTION refuse()");
    try (Connection client = rig.router.connect("simple")) {
      refused(client, "DELETE FROM users WHERE user_id = 1 AND tenant_id = " + ON_B);
      assertThat(tokens()).isEqualTo("1");
      assertThat(rows(client, READ.formatted("u@b"))).containsExactly(ON_B + "|u@b");
      assertThat(rig.router.suspects).contains(Tuple.of("u@b").stored());
      settle("u@b");
      assertThat(tokens()).isEqualTo("0");
      assertThat(rows(client, READ.formatted("u@b"))).hasSize(1);
    }
  }

  @Test
  void aSettlementLeavesTheTokenOfARowThatIsBeingDeleted() throws Exception {
    shards.run(A, "UPDATE users_by_email SET pgconcord_pending = 'x' WHERE email = 'u@b'");
    try (Connection deleter = shards.cluster.asOwner(B)) {
      deleter.setAutoCommit(false);
      run(deleter, "DELETE FROM users WHERE email = 'u@b'");
      settle("u@b");
      assertThat(tokens()).isEqualTo("1");
      deleter.rollback();
    }
    settle("u@b");
    assertThat(tokens()).isEqualTo("0");
  }

  @Test
  void everyFormOfWriteKeepsEveryAnswerTrue() throws Exception {
    attack(20);
  }

  @Test
  @Tag("long")
  void everyFormOfWriteKeepsEveryAnswerTrueForLong() throws Exception {
    attack(2_000);
  }

  /** Clients of two routers, and rows of a table that refers to the keys. */
  private static void attack(int rounds) throws Exception {
    Gsi extended = INDEX.gsi().in(GsiMode.EXTENDED);
    publish(UsersByEmail.withOrders(topology(extended), extended), GsiState.ENABLED, false);
    CoveringAttack.prepare(rig, INDEX);
    try (RouterServer beside = rig.another()) {
      int port = beside.start().getPort();
      CoveringAttack attack =
          new CoveringAttack(
              rig,
              INDEX,
              Long.getLong("pgconcord.seed", System.nanoTime()),
              rounds,
              List.of(
                  () -> rig.router.connect("simple"),
                  () -> LiveRouter.connect(port, "simple", "ApplicationName", "beside")));
      attack.referFrom("INSERT INTO orders VALUES (%s, %d, '%s')");
      attack.run();
      attack.tokensGo();
    }
  }

  /** Each answer was true at some moment while it was made. */
  @Test
  void everyAnswerIsSomeCommittedStateOfTheOwner() throws Exception {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    System.out.println("seed " + seed);
    Map<String, List<Life>> lives = new ConcurrentHashMap<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    AtomicInteger read = new AtomicInteger();
    AtomicInteger running = new AtomicInteger(3);
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      Random random = new Random(seed + n);
      String email = "k" + n;
      List<Life> own = new CopyOnWriteArrayList<>();
      lives.put(email, own);
      int first = 1000 * (n + 1);
      clients.add(async(client -> live(client, random, first, email, own), running));
    }
    for (int n = 0; n < 4; n++) {
      Random random = new Random(seed + 100 + n);
      clients.add(
          async(
              client -> {
                while (running.get() > 0) {
                  String email = "k" + random.nextInt(3);
                  check(client, email, Objects.requireNonNull(lives.get(email)), wrong);
                  read.incrementAndGet();
                }
              },
              new AtomicInteger()));
    }
    CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).get();
    assertThat(wrong).as("seed " + seed).isEmpty();
    assertThat(read).hasValueGreaterThan(50);
    await().atMost(Duration.ofSeconds(30)).until(() -> tokens().equals("0"));
  }

  /** A row of the key: when its INSERT began and was answered, its DELETE began and was. */
  private static final class Life {
    private final String tenant;
    private final long insertBegan = System.nanoTime();
    private volatile long inserted = Long.MAX_VALUE;
    private volatile long deleteBegan = Long.MAX_VALUE;
    private volatile long deleted = Long.MAX_VALUE;

    Life(String tenant) {
      this.tenant = tenant;
    }
  }

  private static void live(
      Connection client, Random random, int first, String email, List<Life> lives)
      throws SQLException {
    for (int round = 0; round < 40; round++) {
      Life life = new Life(random.nextBoolean() ? ON_A : ON_B);
      lives.add(life);
      run(client, user(life.tenant, first + round, email));
      life.inserted = System.nanoTime();
      life.deleteBegan = System.nanoTime();
      run(
          client,
          "DELETE FROM users WHERE email = '%s' AND tenant_id = %s".formatted(email, life.tenant));
      life.deleted = System.nanoTime();
    }
  }

  private static void check(Connection client, String email, List<Life> lives, List<String> wrong)
      throws SQLException {
    long began = System.nanoTime();
    List<String> answer = rows(client, READ.formatted(email));
    long ended = System.nanoTime();
    boolean possible =
        answer.isEmpty()
            ? lives.stream().noneMatch(l -> l.inserted < began && l.deleteBegan > ended)
            : lives.stream()
                .anyMatch(
                    l ->
                        answer.equals(List.of(l.tenant + "|" + email))
                            && l.insertBegan < ended
                            && l.deleted > began);
    if (!possible) {
      wrong.add(email + " " + answer);
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  private interface Work {
    void with(Connection client) throws SQLException;
  }

  private static CompletableFuture<Void> async(Work work, AtomicInteger running) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection client = rig.router.connect("simple")) {
            work.with(client);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          } finally {
            running.decrementAndGet();
          }
        });
  }

  /** Directly, so that nothing but the entries is left. */
  private static void ownersAreGone() {
    shards.cluster.shards().forEach(shard -> shards.run(shard, "TRUNCATE users"));
  }

  private static void hold(Connection lock) throws SQLException {
    run(lock, "SELECT pg_advisory_lock(42)");
  }

  private static void awaitStopped(ShardId shard) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                shards
                    .ask(
                        shard,
                        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42"
                            + " AND NOT granted")
                    .equals("1"));
  }

  private static String tokens() {
    return shards.ask(A, "SELECT count(*) FROM users_by_email WHERE pgconcord_pending IS NOT NULL");
  }

  private static void settle(String email) throws SQLException {
    try (SettlementRunner runner =
        new SettlementRunner(
            INDEX, shard -> shards.cluster.asService(shard), Duration.ofSeconds(5))) {
      runner.settle(Tuple.of(email), null);
    }
  }

  private static String user(String tenant, int id, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, id, email);
  }

  private static String described(Connection client, String sql) throws SQLException {
    try (PreparedStatement statement = client.prepareStatement(sql);
        ResultSet result = statement.executeQuery()) {
      StringBuilder text = new StringBuilder();
      ResultSetMetaData columns = result.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        text.append(columns.getColumnLabel(i))
            .append(' ')
            .append(columns.getColumnTypeName(i))
            .append(' ')
            .append(columns.getPrecision(i))
            .append(' ')
            .append(columns.getTableName(i))
            .append('.')
            .append(((org.postgresql.PGResultSetMetaData) columns).getBaseColumnName(i))
            .append(((org.postgresql.PGResultSetMetaData) columns).getFormat(i))
            .append("; ");
      }
      while (result.next()) {
        for (int i = 1; i <= columns.getColumnCount(); i++) {
          text.append(result.getString(i)).append(", ");
        }
      }
      return text.toString();
    }
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        StringBuilder row = new StringBuilder();
        for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
          row.append(i == 1 ? "" : "|").append(result.getString(i));
        }
        rows.add(row.toString());
      }
      return rows;
    }
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

  private static PSQLException refused(Connection client, String sql) {
    PSQLException error = catchThrowableOfType(PSQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
