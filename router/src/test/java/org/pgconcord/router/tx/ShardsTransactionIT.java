package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.Backends;

/**
 * One transaction over two shards, the lookup table on one of them: a backend killed before each
 * statement in turn, and random transactions with savepoints against a model.
 */
class ShardsTransactionIT {
  private static final String X = "x@example.com";
  private static final String Y = "y@example.com";
  private static final String ON_A = tenantOf(A, 0);
  private static final String ALSO_ON_A = tenantOf(A, 1);
  private static final String ON_B = tenantOf(B, 0);
  private static final String ALSO_ON_B = tenantOf(B, 1);

  private static Shards shards;
  private final List<WriterSession> sessions = new ArrayList<>();

  @BeforeAll
  static void start() throws SQLException {
    shards = new Shards();
  }

  @AfterAll
  static void stop() {
    shards.close();
  }

  @BeforeEach
  void empty() {
    shards.empty();
  }

  @AfterEach
  void close() {
    sessions.forEach(WriterSession::close);
  }

  private WriterSession session(UnaryOperator<Backends> between) {
    WriterSession session =
        new WriterSession(shards, "s" + sessions.size(), Duration.ofSeconds(5), between);
    sessions.add(session);
    return session;
  }

  private WriterSession session() {
    return session(UnaryOperator.identity());
  }

  @Test
  void rowsOfBothShardsCommitWithTheirEntries() {
    WriterSession writer = session();
    assertThat(
            writer.attempt(
                () -> {
                  writer.insert(ON_B, 1, Y);
                  writer.insert(ON_A, 1, X);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, Y, ON_B));
    assertThat(
            writer.attempt(
                () -> {
                  writer.delete(ON_A, X);
                  writer.delete(ON_B, Y);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEmpty();
    assertThat(shards.owners()).isEmpty();
  }

  @Test
  void oneKeyOnTwoShardsIsADuplicateAndNothingStays() {
    WriterSession writer = session();
    for (List<String> order : List.of(List.of(ON_A, ON_B), List.of(ON_B, ON_A))) {
      assertThat(
              writer.attempt(
                  () -> {
                    writer.insert(order.get(0), 1, X);
                    writer.insert(order.get(1), 2, X);
                  }))
          .isEqualTo("23505");
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
    }
  }

  @Test
  void aTakenKeyIsSettledBesideAnOpenPre() {
    WriterSession writer = session();
    shards.run(A, "INSERT INTO users_by_email VALUES ('" + X + "', " + ALSO_ON_B + ")");
    writer.begin();
    writer.insert(ON_B, 1, Y);
    writer.insert(ON_A, 1, X);
    writer.rollback();
    assertThat(shards.owners()).isEmpty();
    assertThat(shards.entries()).doesNotContainKey(Y);
    assertThat(
            writer.attempt(
                () -> {
                  writer.insert(ON_B, 1, Y);
                  writer.insert(ON_A, 1, X);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, Y, ON_B));
  }

  @Test
  void aKeyThatPreHasTouchedStaysWithPre() {
    WriterSession writer = session();
    assertThat(
            writer.attempt(
                () -> {
                  writer.insert(ON_B, 1, X);
                  writer.delete(ON_B, X);
                  writer.insert(ON_A, 1, X);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A));
    assertThat(shards.owners()).isEqualTo(Map.of(X, List.of(ON_A)));
  }

  @Test
  void aKeyThatMainHasTouchedCannotGoToAnotherShard() {
    WriterSession writer = session();
    assertThat(
            writer.attempt(
                () -> {
                  writer.insert(ON_A, 1, X);
                  writer.delete(ON_A, X);
                  writer.insert(ON_B, 1, X);
                }))
        .isEqualTo("0A000");
    assertThat(shards.owners()).isEmpty();
  }

  @Test
  void aSavepointFreesWhatWasWrittenAfterIt() {
    WriterSession writer = session();
    assertThat(
            writer.attempt(
                () -> {
                  writer.insert(ON_A, 1, X);
                  writer.savepoint("s");
                  writer.delete(ON_A, X);
                  writer.insert(ON_B, 7, Y);
                  writer.rollbackTo("s");
                  writer.insert(ON_A, 2, Y);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEqualTo(Map.of(X, ON_A, Y, ON_A));
    assertThat(shards.owners()).isEqualTo(Map.of(X, List.of(ON_A), Y, List.of(ON_A)));
  }

  @Test
  void whatMainWroteUnderASavepointCanBeUndoneByDelete() {
    WriterSession writer = session();
    assertThat(
            writer.attempt(
                () -> {
                  writer.savepoint("s");
                  writer.insert(ON_A, 1, X);
                  writer.savepoint("t");
                  writer.delete(ON_A, X);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEmpty();
    assertThat(writer.tryInsert(ON_A, 1, X)).isEmpty();
    assertThat(
            writer.attempt(
                () -> {
                  writer.savepoint("s");
                  writer.delete(ON_A, X);
                  writer.insert(ON_A, 1, X);
                  writer.release("s");
                  writer.delete(ON_A, X);
                }))
        .isEmpty();
    assertThat(shards.entries()).isEmpty();
  }

  @Test
  void aDeferredConstraintOfOneShardKeepsAllFromCommitting() {
    shards.run(
        B,
        "CREATE FUNCTION deny() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN RAISE check_violation USING MESSAGE = 'denied'; END $$");
    shards.run(
        B,
        "CREATE CONSTRAINT TRIGGER deny AFTER INSERT ON users DEFERRABLE INITIALLY DEFERRED"
            + " FOR EACH ROW EXECUTE FUNCTION deny()");
    try {
      WriterSession writer = session();
      assertThat(
              writer.attempt(
                  () -> {
                    writer.insert(ON_A, 1, X);
                    writer.insert(ON_B, 1, Y);
                  }))
          .isEqualTo("23514");
      assertThat(shards.owners()).isEmpty();
      assertThat(shards.entries()).isEmpty();
    } finally {
      shards.run(B, "DROP TRIGGER deny ON users");
      shards.run(B, "DROP FUNCTION deny()");
    }
  }

  // --- kills -----------------------------------------------------------------------------------

  private record Victim(ShardId shard, BackendRole role) {}

  @Test
  void aKillBeforeAnyStatementLeavesAtMostSurplusAndIsReported() throws SQLException {
    int kills = 0;
    int partial = 0;
    int unknown = 0;
    List<Victim> victims =
        List.of(
            new Victim(A, BackendRole.CLIENT),
            new Victim(B, BackendRole.CLIENT),
            new Victim(A, BackendRole.PRE),
            new Victim(A, BackendRole.POST));
    for (boolean firstA : List.of(true, false)) {
      for (Victim victim : victims) {
        for (int step = 1; ; step++) {
          String name = "s" + sessions.size();
          KillBefore killer =
              new KillBefore(step, role -> shards.kill(victim.shard(), name, role), victim.role());
          WriterSession writer = session(killer::around);
          shards.empty();
          prepare();
          String result = writer.attempt(() -> perform(writer, firstA));
          writer.close();
          if (!killer.reached()) {
            assertThat(result).isEmpty();
            break;
          }
          kills += killer.killed() ? 1 : 0;
          partial += result.equals("2D000") ? 1 : 0;
          unknown += result.equals("08007") ? 1 : 0;
          check(firstA + " " + victim + " " + step + " -> " + result, result, writer);
        }
      }
    }
    assertThat(kills).isGreaterThan(40);
    assertThat(partial).isPositive();
    assertThat(unknown).isPositive();
  }

  /** A row on each shard that the transaction deletes. */
  private static void prepare() {
    shards.run(A, "INSERT INTO users VALUES (" + ON_A + ", 9, 'old-a')");
    shards.run(B, "INSERT INTO users VALUES (" + ON_B + ", 9, 'old-b')");
    shards.run(
        A, "INSERT INTO users_by_email VALUES ('old-a', %s), ('old-b', %s)".formatted(ON_A, ON_B));
  }

  private static void perform(WriterSession writer, boolean firstA) {
    for (boolean a : List.of(firstA, !firstA)) {
      writer.delete(a ? ON_A : ON_B, a ? "old-a" : "old-b");
      writer.savepoint("s");
      writer.insert(a ? ON_A : ON_B, 1, a ? X : Y);
      writer.rollbackTo("s");
      writer.insert(a ? ON_A : ON_B, 1, a ? X : Y);
    }
  }

  private static void check(String what, String result, WriterSession writer) throws SQLException {
    Map<String, List<String>> owners = shards.owners();
    Map<String, String> entries = shards.entries();
    owners.forEach(
        (email, tenants) -> {
          assertThat(tenants).as(what).hasSize(1);
          assertThat(entries).as(what).containsEntry(email, tenants.get(0));
        });
    entries
        .keySet()
        .forEach(
            email -> {
              if (!owners.containsKey(email)) {
                assertThat(writer.suspects).as(what).contains(email);
              }
            });
    boolean newA = owners.containsKey(X) && !owners.containsKey("old-a");
    boolean newB = owners.containsKey(Y) && !owners.containsKey("old-b");
    boolean oldA = !owners.containsKey(X) && owners.containsKey("old-a");
    boolean oldB = !owners.containsKey(Y) && owners.containsKey("old-b");
    assertThat(newA || oldA).as(what + " whole on shard a").isTrue();
    assertThat(newB || oldB).as(what + " whole on shard b").isTrue();
    switch (result) {
      case "" -> assertThat(newA && newB).as(what).isTrue();
      case "2D000" -> assertThat(newA != newB).as(what).isTrue();
      case "08007" -> {}
      default -> assertThat(oldA && oldB).as(what).isTrue();
    }
    shards.settle(List.of(X, Y, "old-a", "old-b"));
    Map<String, String> expected = new HashMap<>();
    shards.owners().forEach((email, tenants) -> expected.put(email, tenants.get(0)));
    assertThat(shards.entries()).as(what).isEqualTo(expected);
  }

  // --- random transactions ---------------------------------------------------------------------

  /** What one plain server would hold: key -> tenant, with savepoints. */
  private static final class Model {
    Map<String, String> rows = new TreeMap<>();
    private Map<String, String> committed = new TreeMap<>();
    private final List<Map<String, String>> saved = new ArrayList<>();

    void begin() {
      committed = new TreeMap<>(rows);
      saved.clear();
    }

    void rollback() {
      rows = committed;
    }
  }

  private static final List<String> TENANTS = List.of(ON_A, ALSO_ON_A, ON_B, ALSO_ON_B);
  private static final List<String> KEYS = List.of("k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7");

  @Test
  void randomTransactionsWithSavepointsEndAsOnOneServer() {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    System.out.println("random transactions over shards, -Dpgconcord.seed=" + seed);
    Random random = new Random(seed);
    WriterSession writer = session();
    Model model = new Model();
    int committed = 0;
    for (int round = 0; round < 250; round++) {
      committed += randomTransaction(writer, model, random, "seed " + seed + " round " + round);
    }
    assertThat(committed).isGreaterThan(50);
    assertThat(writer.suspects).isEmpty();
  }

  private static int randomTransaction(
      WriterSession writer, Model model, Random random, String what) {
    writer.begin();
    model.begin();
    StringBuilder did = new StringBuilder();
    boolean failed = false;
    for (int step = random.nextInt(10); step >= 0; step--) {
      failed = randomStep(writer, model, random, failed, did);
    }
    boolean commit = !failed && random.nextInt(4) > 0;
    if (commit) {
      writer.commit();
    } else {
      writer.rollback();
      model.rollback();
    }
    Map<String, String> owners = new TreeMap<>();
    shards
        .owners()
        .forEach(
            (email, tenants) -> {
              assertThat(tenants).as(what + did).hasSize(1);
              owners.put(email, tenants.get(0));
            });
    assertThat(owners).as(what + did).isEqualTo(model.rows);
    assertThat(new TreeMap<>(shards.entries())).as(what + did).isEqualTo(model.rows);
    return commit ? 1 : 0;
  }

  private static boolean randomStep(
      WriterSession writer, Model model, Random random, boolean failed, StringBuilder did) {
    int depth = model.saved.size();
    if (failed || (depth > 0 && random.nextInt(4) == 0)) {
      if (depth == 0) {
        return true;
      }
      int to = random.nextInt(depth);
      did.append(" rollback to ").append(to);
      writer.rollbackTo("s" + to);
      model.rows = new TreeMap<>(model.saved.get(to));
      model.saved.subList(to + 1, depth).clear();
      return false;
    }
    String tenant = TENANTS.get(random.nextInt(TENANTS.size()));
    String key = KEYS.get(random.nextInt(KEYS.size()));
    if (model.rows.containsKey(key) && random.nextInt(3) > 0) {
      tenant = model.rows.get(key);
      did.append(" delete ").append(tenant).append(key);
      writer.delete(tenant, key);
      model.rows.remove(key);
      return false;
    }
    switch (random.nextInt(7)) {
      case 0 -> {
        did.append(" savepoint");
        writer.savepoint("s" + depth);
        model.saved.add(new TreeMap<>(model.rows));
      }
      case 1 -> {
        if (depth > 0) {
          int from = random.nextInt(depth);
          did.append(" release ").append(from);
          writer.release("s" + from);
          model.saved.subList(from, depth).clear();
        }
      }
      case 2, 3 -> {
        did.append(" delete ").append(tenant).append(key);
        writer.delete(tenant, key);
        model.rows.remove(key, tenant);
      }
      default -> {
        did.append(" insert ").append(tenant).append(key);
        try {
          writer.insert(tenant, random.nextInt(1 << 30), key);
          assertThat(model.rows.put(key, tenant)).as(did.toString()).isNull();
        } catch (CompletionException e) {
          String state = WriterSession.sqlState(Failures.cause(e));
          did.append("=").append(state);
          assertThat(state).isIn("23505", "0A000");
          assertThat(model.rows.containsKey(key))
              .as(did.toString())
              .isEqualTo(!state.equals("0A000"));
          return true;
        }
      }
    }
    return false;
  }
}
