package org.pgconcord.daemon.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.daemon.process.SampleSystem.RouterAlone;
import org.pgconcord.daemon.process.Suite;
import org.pgconcord.testkit.cluster.sample.SampleSchema;
import org.pgconcord.testkit.invariant.CopyChecker;
import org.pgconcord.testkit.invariant.Residue;

/**
 * SIGKILL of the daemon, router and engine in one, or of a shard at a random moment under clients
 * that write; what died starts again. When the clients have ended every row is as they were told,
 * has its entries and its key alone, copies are equal, and nothing is left on the servers.
 */
class KillsUnderLoadIT {
  private static final Duration RECOVERY = Duration.ofSeconds(150);
  private static final int CLIENTS = 5;
  private static final int WRITES_BEFORE = 500;

  /** More kills than this meet a second router. */
  private static final int FEW = 3;

  /** No further kill begins after these minutes; what was done is checked and printed. */
  private static final long MOST_MINUTES = Long.getLong("pgconcord.kills.minutes", Long.MAX_VALUE);

  /** Transactions that must end between two kills. */
  private static final int BETWEEN = 30;

  /** The same clients, first without and then with them. */
  @Test
  void fiveHundredWritesThenThreeKills() throws Exception {
    kills(3);
  }

  @Test
  @Tag("long")
  void twentyKills() throws Exception {
    kills(20);
  }

  @Test
  @Tag("long")
  void twoHundredKills() throws Exception {
    kills(200);
  }

  private static void kills(int count) throws Exception {
    Suite suite = Suite.begin("kills under load", count);
    long begin = System.nanoTime();
    Random random = new Random(suite.seed());
    try (SampleSystem system = SampleSystem.start(100, suite.seed())) {
      ThreeIndexes.declare(system);
      ThreeIndexes.enable(system.startDaemon());
      RandomWritesIT.writes(system, suite, WRITES_BEFORE);
      Residue residue = new Residue(system.cluster().shards(), system.cluster()::asSuperuser);
      AtomicBoolean over = new AtomicBoolean();
      try (Beside beside = new Beside(system, count > FEW);
          Load load =
              new Load(
                  beside.clients(), RandomWritesIT.CLIENTS, suite.seed(), Long.MAX_VALUE, true)) {
        Thread copies = copyWriter(system, over, suite.seed());
        int daemons = 0;
        int done = 0;
        for (int kill = 0; kill < count && minutesSince(begin) < MOST_MINUTES; kill++) {
          done++;
          awaitSteps(load, BETWEEN);
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
          daemons += kill(system, kill < 3 ? kill : random.nextInt(3), random) ? 1 : 0;
          beside.restartIfItEnded();
        }
        awaitSteps(load, BETWEEN);
        over.set(true);
        load.stop();
        copies.join();
        check(system, load, residue);
        System.out.printf(
            "kills under load seed=%d kills=%d of_daemon=%d %s violations=0 seconds=%d%n",
            suite.seed(), done, daemons, load.told(), (System.nanoTime() - begin) / 1_000_000_000);
      }
    }
  }

  private static long minutesSince(long nanos) {
    return TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - nanos);
  }

  /** A second router, where there is one; it may end with the catalog's server, as the daemon. */
  private static final class Beside implements AutoCloseable {
    private final SampleSystem system;
    private volatile @Nullable RouterAlone router;

    Beside(SampleSystem system, boolean second) throws IOException {
      this.system = system;
      this.router = second ? system.startRouter() : null;
    }

    List<RandomWriter.Connector> clients() {
      return RandomWritesIT.spread(
          router == null ? List.of(system::router) : List.of(system::router, this::connect),
          CLIENTS);
    }

    private Connection connect() throws SQLException {
      return Objects.requireNonNull(router).connect();
    }

    void restartIfItEnded() throws IOException {
      RouterAlone now = router;
      if (now != null && !now.process().isAlive()) {
        router = system.startRouter();
      }
    }

    @Override
    public void close() {
      RouterAlone now = router;
      if (now != null) {
        now.close();
      }
    }
  }

  /** True when it was the daemon. */
  private static boolean kill(SampleSystem system, int victim, Random random) throws Exception {
    List<ShardId> shards = system.cluster().shards();
    if (victim < shards.size()) {
      ShardId shard = shards.get(victim);
      system.cluster().shard(shard).kill();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(500)));
      system.cluster().shard(shard).start();
    } else {
      system.daemon().kill();
    }
    // A daemon that lost its catalog's server ends a moment later.
    system.restartDaemonIfItEnded();
    return victim >= shards.size();
  }

  private static void awaitSteps(Load load, int steps) throws Exception {
    long before = load.steps();
    long begin = System.nanoTime();
    while (load.steps() < before + steps && !load.failed()) {
      if (System.nanoTime() - begin > RECOVERY.toNanos()) {
        throw new AssertionError("clients do not get on: " + load.told());
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    if (load.failed()) {
      load.stop();
    }
  }

  private static void check(SampleSystem system, Load load, Residue residue) throws Exception {
    assertThat(residue.awaitNone(RECOVERY)).isEmpty();
    assertThat(load.violations(system.cluster())).isEmpty();
    ThreeIndexes.awaitNone(system, RECOVERY);
    CopyChecker copies =
        new CopyChecker(
            SampleSchema.COUNTRIES, system.cluster().shards(), system.cluster()::asService);
    assertThat(copies.violations(marked(system))).isEmpty();
    system.daemon().client().post("/references/countries/repair", Map.of());
    assertThat(copies.violations(Set.of())).isEmpty();
  }

  private static Set<ShardId> marked(SampleSystem system) throws SQLException {
    Set<ShardId> marked = new HashSet<>();
    try (Connection home = system.cluster().asSuperuser(system.cluster().shards().get(0));
        Statement statement = home.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT shard FROM pgconcord.copy WHERE name = 'countries' AND reason <> ''")) {
      while (row.next()) {
        marked.add(new ShardId(row.getString(1)));
      }
    }
    return marked;
  }

  /** One client changes a reference table all the while; what it is told does not matter. */
  private static Thread copyWriter(SampleSystem system, AtomicBoolean over, long seed) {
    List<String> codes = new ArrayList<>(List.of("FI", "FR", "DE", "IS"));
    Random random = new Random(seed);
    Thread thread =
        new Thread(
            () -> {
              while (!over.get()) {
                try (Connection client = system.router();
                    Statement statement = client.createStatement()) {
                  while (!over.get()) {
                    statement.execute(
                        "UPDATE countries SET name = random()::text WHERE code = '%s'"
                            .formatted(codes.get(random.nextInt(codes.size()))));
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                  }
                } catch (SQLException e) {
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
                }
              }
            },
            "copy-writer");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
