package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.schema.TableSchema;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.GsiMode;
import org.pgconcord.config.topology.Topology;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.tx.Shards;
import org.pgconcord.router.tx.UsersIndex;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.fixture.DeclaredIndex;
import org.pgconcord.testkit.fixture.UsersByEmail;

/**
 * The lookup table on both shards: of the rows of one statement some have their entries on their
 * own server, some on the other one. {@code AA} is an email whose row is on A and whose entry is on
 * A, {@code AB} one whose row is on A and whose entry is on B.
 */
class ShardedEntriesIT {
  private static final DeclaredIndex DECLARED = UsersByEmail.declared(false, true);
  private static final LookupIndex INDEX = UsersIndex.resolved(DECLARED);
  private static final String ON_A = tenantOf(A, 0);
  private static final String ON_B = tenantOf(B, 0);
  private static final String AA = email("aa", A);
  private static final String AB = email("ab", B);
  private static final String BA = email("ba", A);
  private static final String BB = email("bb", B);
  private static final Map<String, String> ALL = Map.of(AA, ON_A, AB, ON_A, BA, ON_B, BB, ON_B);

  private static AtomicRig rig;
  private static Shards shards;

  /** An email that begins so and whose entry belongs on the shard. */
  private static String email(String name, ShardId lookup) {
    for (int i = 0; ; i++) {
      String email = name + i + "@example.com";
      if (INDEX.lookupShard(Tuple.of(email)).equals(lookup)) {
        return email;
      }
    }
  }

  @BeforeAll
  static void start() throws SQLException {
    rig = new AtomicRig(DECLARED);
    shards = rig.shards;
  }

  @AfterAll
  static void stop() {
    rig.close();
  }

  @BeforeEach
  void empty() {
    shards.empty();
    rig.router.publish(GsiState.ENABLED);
    rig.network.begin(List.of());
  }

  // --- whole -----------------------------------------------------------------------------------

  @Test
  void rowsOfOneStatementHaveTheirEntriesOnTheShardsOfTheirKeys() throws SQLException {
    try (Connection client = rig.router.connect("extended")) {
      insertAll(client);
      assertThat(shards.entries()).isEqualTo(ALL);
      for (Map.Entry<String, String> row : ALL.entrySet()) {
        assertThat(tenants(client, row.getKey())).containsExactly(row.getValue());
      }
      for (String taken : ALL.keySet()) {
        assertThat(fails(client, insert(ON_A, 9, taken)).getSQLState()).isEqualTo("23505");
        assertThat(fails(client, insert(ON_B, 9, taken)).getSQLState()).isEqualTo("23505");
      }
      run(client, "DELETE FROM users");
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
    }
  }

  @Test
  void anUpdatedKeyMovesItsEntryToAnotherLookupShard() throws SQLException {
    String there = email("there", B);
    String back = email("back", A);
    try (Connection client = rig.router.connect("simple")) {
      run(client, insert(ON_A, 1, AA));
      for (String next : List.of(there, back, there)) {
        run(client, update(next, 1));
        assertThat(shards.entries()).isEqualTo(Map.of(next, ON_A));
        assertThat(tenants(client, next)).containsExactly(ON_A);
      }
      run(client, "BEGIN; SAVEPOINT s");
      run(client, update(back, 1));
      assertThat(tenants(client, back)).containsExactly(ON_A);
      run(client, "ROLLBACK TO s");
      run(client, "COMMIT");
      assertThat(shards.entries()).isEqualTo(Map.of(there, ON_A));
    }
  }

  /** Tokens of a covering index are on both lookup shards. */
  @Test
  void aCoveringIndexOfBothLookupShardsAnswersTruly() throws Exception {
    Gsi gsi = INDEX.gsi().answering().in(GsiMode.EXTENDED);
    Topology.LogicalDatabase app = DECLARED.topology().database("app").orElseThrow();
    Topology topology =
        new Topology(
            DECLARED.topology().authoritativeGroup(),
            DECLARED.topology().groups(),
            DECLARED.topology().indexes(),
            Map.of(
                "app",
                new Topology.LogicalDatabase(
                    "app", app.tables(), List.of(gsi), app.schemaDefaults(), app.fallback())));
    LookupIndex index = LookupIndex.resolve(topology, INDEX.owner(), gsi);
    CoveringAttack.prepare(rig, index);
    long revision = rig.router.epochs.current().revision() + 1;
    RoutingState plain = UsersIndex.routing(DECLARED, revision, GsiState.ENABLED, revision);
    Map<TableName, TableSchema> tables = new HashMap<>(plain.schemas().get("app"));
    tables.put(UsersByEmail.LOOKUP, CoveringIT.lookupTable());
    rig.router.epochs.publish(
        new RoutingState(revision, topology, plain.gsis(), Map.of("app", tables)));
    CoveringAttack attack =
        new CoveringAttack(rig, index, Long.getLong("pgconcord.seed", System.nanoTime()), 15);
    attack.run();
    attack.tokensGo();
  }

  /** Eight clients insert and delete the same keys from tenants of both shards. */
  @Test
  void racesForKeysOfBothLookupShardsHaveOneWinner() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      keys.add(email("race" + i + ".", i % 2 == 0 ? A : B));
    }
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      int number = i;
      clients.add(CompletableFuture.runAsync(() -> race(number, keys)));
    }
    clients.forEach(CompletableFuture::join);
    entriesAreTrue();
    assertThat(shards.entries().keySet()).isEqualTo(shards.owners().keySet());
    assertThat(shards.owners()).isNotEmpty();
  }

  private static void race(int number, List<String> keys) {
    String tenant = number % 2 == 0 ? ON_A : ON_B;
    try (Connection client = rig.router.connect("simple")) {
      for (int round = 0; round < 20; round++) {
        int user = 1_000 * number + round;
        String key = keys.get((round + number) % keys.size());
        try {
          run(client, insert(tenant, user, key));
          if (round % 3 != 0) {
            run(client, "DELETE FROM users WHERE tenant_id = " + tenant + " AND user_id = " + user);
          }
        } catch (SQLException lost) {
          assertThat(lost.getSQLState()).isIn("23505", "55P03", "40P01");
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  // --- the commit's steps ----------------------------------------------------------------------

  /** PREs of both lookup shards, then MAINs, then POSTs of both: cut before and after each. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  @Tag("long")
  void aCutAtAnyMessageOfACommitLeavesAtMostSurplus(Direction direction) throws Exception {
    cutCommits(direction, 1);
  }

  @ParameterizedTest
  @EnumSource(Direction.class)
  void aCutOfACommitLeavesAtMostSurplus(Direction direction) throws Exception {
    cutCommits(direction, 7);
  }

  private static void cutCommits(Direction direction, int step) throws Exception {
    int cuts = 0;
    boolean acted = true;
    for (int message = 1; acted; message += step) {
      shards.empty();
      rig.network.begin(List.of());
      try (Connection client = rig.router.connect("simple")) {
        insertAll(client);
        run(client, "BEGIN");
        run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
        run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
        Map<String, String> next = new HashMap<>();
        int user = 10;
        for (Map.Entry<String, String> row : ALL.entrySet()) {
          String email = email("new." + row.getKey(), INDEX.lookupShard(Tuple.of(row.getKey())));
          next.put(email, row.getValue());
          run(client, insert(row.getValue(), user++, email));
        }
        rig.network.begin(List.of(Rule.on(direction).nth(message).then(new Action.Cut())));
        SQLException failure = commit(client);
        acted = rig.network.acted() > 0;
        cuts += acted ? 1 : 0;
        rig.network.begin(List.of());
        entriesAreTrue();
        if (failure == null) {
          assertThat(shards.owners().keySet()).as("message " + message).isEqualTo(next.keySet());
        }
        settleAll(next);
        entriesAreTrue();
        assertThat(shards.entries().keySet()).isEqualTo(shards.owners().keySet());
      }
    }
    System.out.println("cuts=" + cuts + " direction=" + direction);
    assertThat(cuts).isGreaterThan(5);
  }

  /** What a crash left is gone when each key has been settled on its own lookup shard. */
  private static void settleAll(Map<String, String> next) throws SQLException {
    List<String> keys = new ArrayList<>(ALL.keySet());
    keys.addAll(next.keySet());
    shards.settle(keys);
  }

  @ParameterizedTest
  @EnumSource(StopAt.Step.class)
  void aDeadRoutersCommitInTwoPhasesIsAllOrNothing(StopAt.Step step) throws Exception {
    Map<String, String> swapped = Map.of(AA, ON_B, AB, ON_B, BA, ON_A, BB, ON_A);
    Connection client = rig.router.connect("simple");
    insertAll(client);
    run(client, "BEGIN");
    run(client, "DELETE FROM users WHERE tenant_id = " + ON_A);
    run(client, "DELETE FROM users WHERE tenant_id = " + ON_B);
    int user = 20;
    for (Map.Entry<String, String> row : swapped.entrySet()) {
      run(client, insert(row.getValue(), user++, row.getKey()));
    }
    rig.stops.stopAt(step);
    CompletableFuture<SQLException> commit = CompletableFuture.supplyAsync(() -> commit(client));
    rig.stops.awaitStopped();
    rig.endSessions();
    rig.resolveAll();
    assertThat(rig.prepared()).isZero();
    assertThat(shards.entries()).isEqualTo(step == StopAt.Step.AFTER_DECIDE ? swapped : ALL);
    entriesAreTrue();
    rig.stops.wake();
    commit.handle((done, failure) -> failure).join();
    assertThat(shards.entries()).isEqualTo(step == StopAt.Step.AFTER_DECIDE ? swapped : ALL);
    client.close();
  }

  // --- tools -----------------------------------------------------------------------------------

  /** Each row has its entry, which is on its own shard; no key has two. */
  private static void entriesAreTrue() {
    Map<String, String> entries = shards.entries();
    shards
        .owners()
        .forEach(
            (email, tenants) -> {
              assertThat(tenants).as(email).hasSize(1);
              assertThat(entries).containsEntry(email, tenants.get(0));
            });
  }

  private static void insertAll(Connection client) throws SQLException {
    List<String> rows = new ArrayList<>();
    ALL.forEach(
        (email, tenant) -> rows.add("(%s, %d, '%s')".formatted(tenant, rows.size(), email)));
    run(client, "INSERT INTO users (tenant_id, user_id, email) VALUES " + String.join(", ", rows));
  }

  private static String insert(String tenant, int user, String email) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(tenant, user, email);
  }

  private static String update(String email, int user) {
    return "UPDATE users SET email = '%s' WHERE tenant_id = %s AND user_id = %d"
        .formatted(email, ON_A, user);
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Null after success. */
  @SuppressWarnings("NullAway")
  private static SQLException commit(Connection client) {
    return catchThrowableOfType(SQLException.class, () -> run(client, "COMMIT"));
  }

  private static SQLException fails(Connection client, String sql) {
    SQLException error = catchThrowableOfType(SQLException.class, () -> run(client, sql));
    assertThat((Throwable) error).as(sql).isNotNull();
    return error;
  }

  private static List<String> tenants(Connection client, String email) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT tenant_id FROM users WHERE email = '" + email + "'")) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }
}
