package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.pgconcord.testkit.fixture.TwoShards.A;
import static org.pgconcord.testkit.fixture.TwoShards.B;
import static org.pgconcord.testkit.fixture.TwoShards.tenantOf;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.CoveringSwitch;
import org.pgconcord.gsi.LookupDdl;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;

/**
 * Writers of a few keys by every form of statement, each alone on its key, beside readers whose
 * queries a covering index may answer by itself and a settlement that takes tokens off. Each answer
 * has to be a state of the owner at a moment while it was made.
 */
final class CoveringAttack {
  private static final List<String> TENANTS = List.of(tenantOf(A, 0), tenantOf(B, 0));
  private static final String READ = "SELECT tenant_id, email FROM users WHERE email = '%s'";
  private static final int WRITERS = 3;

  /** What gives a row that is there another key; all but the first take rows away, too. */
  private static final List<WriteForm> CHANGING =
      List.of(WriteForm.UPSERT, WriteForm.UPDATE_BY_KEY, WriteForm.MERGE, WriteForm.WRITING_CTE);

  /** What ends a statement as a race lost: nothing of it was done. */
  private static final Set<String> AGAIN = Set.of("40001", "40P01", "55P03");

  private final AtomicRig rig;
  private final LookupIndex index;
  private final long seed;
  private final int rounds;
  private final Map<String, List<Life>> lives = new ConcurrentHashMap<>();
  private final List<String> wrong = new CopyOnWriteArrayList<>();
  private final AtomicInteger reads = new AtomicInteger();
  private final AtomicInteger writing = new AtomicInteger(WRITERS);
  private final List<Connector> routers;
  private String referring = "";
  private final AtomicInteger connected = new AtomicInteger();

  /** Opens a session with a router. */
  interface Connector {
    Connection open() throws SQLException;
  }

  CoveringAttack(AtomicRig rig, LookupIndex index, long seed, int rounds) {
    this(rig, index, seed, rounds, List.of(() -> rig.router.connect("simple")));
  }

  /** The same through several routers: clients go to them in turn. */
  CoveringAttack(AtomicRig rig, LookupIndex index, long seed, int rounds, List<Connector> routers) {
    this.routers = List.copyOf(routers);
    this.rig = rig;
    this.index = index;
    this.seed = seed;
    this.rounds = rounds;
  }

  /** A row of the key: when its making began and was answered, when its end began and was. */
  private static final class Life {
    private final String tenant;
    private final int id;
    private final long began = System.nanoTime();
    private volatile long made = Long.MAX_VALUE;
    private volatile long ending = Long.MAX_VALUE;
    private volatile long ended = Long.MAX_VALUE;

    /** When a reader of the owner row itself had found it gone. */
    private volatile long gone = Long.MAX_VALUE;

    Life(String tenant, int id) {
      this.tenant = tenant;
      this.id = id;
    }

    boolean endedBefore(long time) {
      return Math.min(ended, gone) <= time;
    }

    String where() {
      return " WHERE tenant_id = %s AND user_id = %d".formatted(tenant, id);
    }
  }

  /** What a covering index needs beside the lookup table that is there; its reads are on. */
  static void prepare(AtomicRig rig, LookupIndex index) throws SQLException {
    for (ShardId shard : index.lookupShards()) {
      try (Connection service = rig.shards.cluster.asService(shard)) {
        for (String ddl : LookupDdl.createCovering(index)) {
          run(service, ddl);
        }
        CoveringSwitch covering = new CoveringSwitch(index);
        covering.off(service);
        assertThat(covering.on(service, covering.count(service), Duration.ofHours(1))).isTrue();
      }
    }
  }

  /**
   * Beside all that, rows that refer to the keys are written.
   *
   * @param insert a statement of such a row: a tenant, its number, the key
   */
  void referFrom(String insert) {
    referring = insert;
  }

  void run() throws Exception {
    System.out.println("suite covering attack count=" + rounds + " seed=" + seed);
    List<CompletableFuture<Void>> clients = new ArrayList<>();
    for (int n = 0; n < WRITERS; n++) {
      Random random = new Random(seed + n);
      String email = "attack" + n;
      lives.put(email, new CopyOnWriteArrayList<>());
      int first = 10_000 * (n + 1);
      clients.add(
          async(
              client -> {
                try {
                  write(client, random, email, first);
                } finally {
                  writing.decrementAndGet();
                }
              }));
    }
    for (int n = 0; n < 4; n++) {
      Random random = new Random(seed + 100 + n);
      clients.add(
          async(
              client -> {
                while (writing.get() > 0) {
                  check(client, "attack" + random.nextInt(WRITERS));
                }
              }));
    }
    clients.add(async(client -> settle(new Random(seed + 200))));
    if (!referring.isEmpty()) {
      clients.add(async(client -> refer(client, new Random(seed + 300))));
    }
    CompletableFuture.allOf(clients.toArray(CompletableFuture<?>[]::new)).get();
    assertThat(wrong).as("seed " + seed).isEmpty();
    assertThat(reads).hasValueGreaterThan(rounds);
  }

  // --- writers ---------------------------------------------------------------------------------

  private void write(Connection client, Random random, String email, int first)
      throws SQLException {
    List<Life> own = Objects.requireNonNull(lives.get(email));
    Life current = null;
    for (int round = 0; round < rounds; round++) {
      int id = first + 2 * round;
      String tenant = TENANTS.get(random.nextInt(2));
      run(client, "SET pgconcord.tx_mode = " + (random.nextInt(4) == 0 ? "atomic" : "multi"));
      if (current == null) {
        Life next = new Life(tenant, id);
        own.add(next);
        make(client, random, email, next);
        next.made = System.nanoTime();
        current = next;
      } else if (random.nextInt(4) == 0) {
        Life next = new Life(tenant, id);
        own.add(next);
        current.ending = next.began;
        again(
            client, "BEGIN", "DELETE FROM users" + current.where(), insert(email, next), "COMMIT");
        current.ended = System.nanoTime();
        next.made = current.ended;
        current = next;
      } else if (random.nextInt(5) == 0) {
        again(client, "BEGIN", "DELETE FROM users" + current.where(), "ROLLBACK");
      } else {
        current.ending = System.nanoTime();
        end(client, random, email, current);
        current.ended = System.nanoTime();
        current = null;
      }
    }
  }

  private static String insert(String email, Life life) {
    return "INSERT INTO users (tenant_id, user_id, email) VALUES (%s, %d, '%s')"
        .formatted(life.tenant, life.id, email);
  }

  private void make(Connection client, Random random, String email, Life life) throws SQLException {
    String other = "other" + life.id;
    switch (random.nextInt(9)) {
      case 0 -> again(client, insert(email, life));
      case 1 -> again(client, insert(email, life) + " ON CONFLICT DO NOTHING");
      case 2 -> {
        again(client, insert(other, life));
        again(client, "UPDATE users SET email = '" + email + "'" + life.where());
      }
      case 3 ->
          again(
              client,
              "BEGIN",
              "SAVEPOINT a",
              insert(email, new Life(TENANTS.get(random.nextInt(2)), life.id + 1)),
              "ROLLBACK TO a",
              insert(email, life),
              "COMMIT");
      case 4 ->
          again(
              client,
              insert(email, life)
                  + ", (%s, %d, '%s')".formatted(TENANTS.get(0), life.id + 1, other));
      case 5 ->
          again(
              client,
              WriteForm.COPY.gain(life.tenant, life.id, "", email)
                  + "%s\t%d\t%s\n".formatted(TENANTS.get(1), life.id + 1, other));
      default -> {
        WriteForm form = CHANGING.get(random.nextInt(CHANGING.size()));
        again(client, insert(other, life));
        again(client, form.gain(life.tenant, life.id, other, email));
      }
    }
  }

  private void end(Connection client, Random random, String email, Life life) throws SQLException {
    switch (random.nextInt(9)) {
      case 0 -> again(client, "DELETE FROM users" + life.where());
      case 1 -> again(client, "UPDATE users SET email = 'gone" + life.id + "'" + life.where());
      case 2 -> again(client, "DELETE FROM users WHERE email = '" + email + "'");
      case 3 ->
          again(
              client,
              "DELETE FROM users WHERE user_id BETWEEN %d AND %d".formatted(life.id, life.id + 1));
      case 4 -> {
        WriteForm form = CHANGING.get(1 + random.nextInt(CHANGING.size() - 1));
        again(client, form.lose(life.tenant, life.id, email));
      }
      case 5, 6 -> {
        WriteForm form = CHANGING.get(random.nextInt(CHANGING.size()));
        again(client, form.gain(life.tenant, life.id, email, "left" + life.id));
      }
      default ->
          again(
              client,
              "BEGIN",
              "UPDATE users SET email = 'aside" + life.id + "'" + life.where(),
              "DELETE FROM users" + life.where(),
              "COMMIT");
    }
  }

  /** Until it is done; what has lost a race has done nothing. */
  private static void again(Connection client, String... statements) throws SQLException {
    for (int attempt = 0; ; attempt++) {
      try {
        for (String sql : statements) {
          WriteForm.run(client, sql);
        }
        return;
      } catch (SQLException e) {
        if (attempt == 50 || !AGAIN.contains(e.getSQLState())) {
          throw e;
        }
        run(client, "ROLLBACK");
      }
    }
  }

  // --- beside them -----------------------------------------------------------------------------

  private void check(Connection client, String email) throws SQLException {
    List<Life> own = Objects.requireNonNull(lives.get(email));
    List<Life> last = own.subList(Math.max(0, own.size() - 1), own.size());
    for (Life life : last) {
      lookAtRow(client, email, life);
    }
    long began = System.nanoTime();
    List<String> answer;
    try {
      answer = rows(client, READ.formatted(email));
    } catch (SQLException e) {
      if (AGAIN.contains(e.getSQLState())) {
        return;
      }
      throw e;
    }
    long ended = System.nanoTime();
    reads.incrementAndGet();
    boolean possible =
        answer.isEmpty()
            ? own.stream().noneMatch(l -> l.made < began && l.ending > ended)
            : own.stream()
                .anyMatch(
                    l ->
                        answer.equals(List.of(l.tenant + "|" + email))
                            && l.began < ended
                            && !l.endedBefore(began));
    if (!possible) {
      wrong.add(email + " " + answer);
    }
  }

  /** By its shard key, as the owner's shard says: from then on no answer may have it. */
  private static void lookAtRow(Connection client, String email, Life life) throws SQLException {
    boolean made = life.made < System.nanoTime();
    String row =
        "SELECT tenant_id, email FROM users" + life.where() + " AND email = '" + email + "'";
    if (made && rows(client, row).isEmpty()) {
      life.gone = Math.min(life.gone, System.nanoTime());
    }
  }

  /** Each holds its key's entry until it has committed, or finds none. */
  private void refer(Connection client, Random random) throws SQLException {
    int held = 0;
    for (int id = 1; writing.get() > 0; id++) {
      String key = "attack" + random.nextInt(WRITERS);
      try {
        run(client, referring.formatted(TENANTS.get(random.nextInt(2)), id, key));
        held++;
      } catch (SQLException e) {
        assertThat(e.getSQLState()).isIn("23503", "40001", "40P01", "55P03");
      }
    }
    assertThat(held).isPositive();
  }

  private void settle(Random random) throws SQLException {
    try (SettlementRunner runner =
        new SettlementRunner(
            index, shard -> rig.shards.cluster.asService(shard), Duration.ofMillis(500))) {
      while (writing.get() > 0) {
        try {
          runner.settle(Tuple.of("attack" + random.nextInt(WRITERS)), null);
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isIn(AGAIN);
        }
      }
    }
  }

  /**
   * All tokens go when nothing is under way: writers take off their own, and those of nobody, which
   * settlement gives to what it adds, go by a settlement as the sweep makes it.
   */
  void tokensGo() throws SQLException {
    try (SettlementRunner runner =
        new SettlementRunner(
            index, shard -> rig.shards.cluster.asService(shard), Duration.ofMillis(500))) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> {
                for (ShardId shard : index.lookupShards()) {
                  assertThat(settled(runner, shard)).isEmpty();
                }
              });
    }
  }

  /** The entries that had a token, which have been settled now. */
  private List<Tuple> settled(SettlementRunner runner, ShardId shard) throws SQLException {
    try (Connection service = rig.shards.cluster.asService(shard)) {
      List<Tuple> pending = new CoveringSwitch(index).pending(service, 100);
      for (Tuple identity : pending) {
        runner.settle(identity, null);
      }
      return pending;
    }
  }

  // --- tools -----------------------------------------------------------------------------------

  private interface Work {
    void with(Connection client) throws SQLException;
  }

  private CompletableFuture<Void> async(Work work) {
    return CompletableFuture.runAsync(
        () -> {
          try (Connection client =
              routers.get(connected.getAndIncrement() % routers.size()).open()) {
            work.with(client);
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        },
        command -> new Thread(command, "covering attack").start());
  }

  private static List<String> rows(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      List<String> rows = new ArrayList<>();
      while (result.next()) {
        rows.add(result.getString(1) + "|" + result.getString(2));
      }
      return rows;
    }
  }

  private static void run(Connection client, String sql) throws SQLException {
    try (Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }
}
