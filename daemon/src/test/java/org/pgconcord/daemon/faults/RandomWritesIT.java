package org.pgconcord.daemon.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.daemon.process.Suite;
import org.pgconcord.testkit.invariant.Residue;

/**
 * Clients that write at random, side by side, an owner with three indexes; each outcome is held
 * against a model of the rows, and rows and entries against each other at the end.
 */
class RandomWritesIT {
  private static final Duration AUDIT = Duration.ofSeconds(60);
  static final int CLIENTS = 6;

  /** Statements in a transaction, on the average. */
  private static final int WRITES_PER_TRANSACTION = 2;

  @Test
  @Tag("long")
  void tenThousandWrites() throws Exception {
    writes(10_000);
  }

  @Test
  @Tag("long")
  void aHundredThousandWrites() throws Exception {
    writes(100_000);
  }

  private static void writes(int count) throws Exception {
    Suite suite = Suite.begin("random writes", count);
    try (SampleSystem system = SampleSystem.start(100, suite.seed())) {
      ThreeIndexes.declare(system);
      ThreeIndexes.enable(system.startDaemon());
      try (SampleSystem.RouterAlone beside = system.startRouter()) {
        writes(system, suite, count, List.of(system::router, beside::connect));
      }
    }
  }

  /** Through the daemon's router alone. */
  static void writes(SampleSystem system, Suite suite, int count) throws Exception {
    writes(system, suite, count, List.of(system::router));
  }

  /** On a system whose indexes are enabled. */
  private static void writes(
      SampleSystem system, Suite suite, int count, List<RandomWriter.Connector> routers)
      throws Exception {
    long begin = System.nanoTime();
    Residue residue = new Residue(system.cluster().shards(), system.cluster()::asSuperuser);
    long most = count / CLIENTS / WRITES_PER_TRANSACTION + 1L;
    List<RandomWriter.Connector> clients = spread(routers, CLIENTS);
    try (Load load = new Load(clients, 0, suite.seed(), most, false)) {
      load.join();
      assertThat(load.violations(system.cluster())).isEmpty();
      ThreeIndexes.awaitNone(system, AUDIT);
      assertThat(residue.awaitNone(AUDIT)).isEmpty();
      System.out.printf(
          "random writes seed=%d clients=%d routers=%d %s violations=0 seconds=%d%n",
          suite.seed(),
          CLIENTS,
          routers.size(),
          load.told(),
          (System.nanoTime() - begin) / 1_000_000_000);
      assertThat(load.sum(c -> c.done)).isGreaterThan(CLIENTS * most / 3);
    }
  }

  /** Clients of these routers in turn. */
  static List<RandomWriter.Connector> spread(List<RandomWriter.Connector> routers, int clients) {
    return IntStream.range(0, clients).mapToObj(i -> routers.get(i % routers.size())).toList();
  }
}
