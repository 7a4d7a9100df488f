package org.pgconcord.daemon.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.ProxiedRouter;
import org.pgconcord.daemon.process.Gsi;
import org.pgconcord.daemon.process.SampleSystem;
import org.pgconcord.daemon.process.Suite;
import org.pgconcord.testkit.cluster.sample.SampleTopology;
import org.pgconcord.testkit.fault.Action;
import org.pgconcord.testkit.fault.Direction;
import org.pgconcord.testkit.fault.FaultNetwork;
import org.pgconcord.testkit.fault.Rule;
import org.pgconcord.testkit.history.Anomaly;
import org.pgconcord.testkit.history.HistoryChecker;
import org.pgconcord.testkit.history.Level;
import org.pgconcord.testkit.history.Transaction;

/**
 * Transactions on one shard are isolated as PostgreSQL says at each level, through the router and
 * while its links are cut: clients append to lists and read them, and what they saw is searched for
 * what the level forbids.
 */
class IsolationIT {
  private static final int CLIENTS = 6;
  private static final int GENERATION = 120;

  @Test
  void aShortHistoryAtEachLevelIsPossible() throws Exception {
    histories(240);
  }

  @Test
  @Tag("long")
  void aLongHistoryAtEachLevelIsPossible() throws Exception {
    histories(10_000);
  }

  private static void histories(int transactions) throws Exception {
    Suite suite = Suite.begin("isolation", transactions);
    try (SampleSystem system = SampleSystem.start(10, suite.seed())) {
      Gsi gsi = new Gsi(system.startDaemon());
      gsi.build();
      gsi.verifyAndEnable();
      Map<String, Integer> ports = new HashMap<>();
      List<ShardId> shards = system.cluster().shards();
      shards.forEach(shard -> ports.put(shard.uid(), system.cluster().shard(shard).port()));
      ports.put(ProxiedRouter.DECISIONS, system.cluster().shard(shards.get(0)).port());
      ports.put(ProxiedRouter.CATALOG, system.cluster().shard(shards.get(0)).port());
      for (Level level : Level.values()) {
        try (FaultNetwork network = FaultNetwork.before(ports);
            ProxiedRouter router =
                new ProxiedRouter(
                    network,
                    system.config(),
                    system.config(0, shard -> network.port(shard.uid())))) {
          one(system, network, router, level, transactions, suite.seed());
        }
      }
    }
  }

  private static void one(
      SampleSystem system,
      FaultNetwork network,
      ProxiedRouter router,
      Level level,
      int transactions,
      long seed)
      throws Exception {
    long begin = System.nanoTime();
    ListClient.Shared shared = new ListClient.Shared(level, tenants(system), GENERATION);
    plant(system, shared.rows(transactions + CLIENTS));
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    List<ListClient> clients = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      ListClient client =
          new ListClient(() -> router.connect("lists"), shared, seed + i + level.sql().hashCode());
      clients.add(client);
      threads.add(
          new Thread(
              () -> {
                try {
                  while (shared.transactions().get() < transactions && failure.get() == null) {
                    client.step();
                  }
                } catch (RuntimeException | AssertionError e) {
                  failure.compareAndSet(null, e);
                } finally {
                  client.close();
                }
              },
              "list-client-" + i));
    }
    threads.forEach(Thread::start);
    int cuts = cutWhile(threads, network, new Random(seed));
    assertThat(failure.get()).isNull();
    List<Transaction> history = clients.stream().flatMap(c -> c.history().stream()).toList();
    Map<Anomaly.Kind, Long> kinds = new HashMap<>();
    List<Anomaly> anomalies = HistoryChecker.check(history, end(system));
    anomalies.forEach(anomaly -> kinds.merge(anomaly.kind(), 1L, Long::sum));
    System.out.printf(
        "isolation level=\"%s\" seed=%d transactions=%d refused=%d cuts=%d anomalies=%s"
            + " seconds=%d%n",
        level.sql(),
        seed,
        history.size(),
        shared.refused().get(),
        cuts,
        kinds,
        (System.nanoTime() - begin) / 1_000_000_000);
    assertThat(anomalies).filteredOn(level::forbids).isEmpty();
    run(system, "DELETE FROM users WHERE email LIKE 'list%'");
  }

  /** One link at a time, at some message, until the clients have ended. */
  private static int cutWhile(List<Thread> threads, FaultNetwork network, Random random) {
    int cuts = 0;
    while (threads.stream().anyMatch(Thread::isAlive)) {
      Direction direction = random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
      network.begin(
          List.of(Rule.on(direction).nth(1 + random.nextInt(300)).then(new Action.Cut())));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      cuts += network.acted();
    }
    return cuts;
  }

  private static List<Long> tenants(SampleSystem system) {
    ShardLocator locator = SampleTopology.locator(system.cluster().shards());
    List<Long> tenants = new ArrayList<>();
    for (ShardId shard : system.cluster().shards()) {
      long tenant = 1;
      while (!locator.locate(Long.toString(tenant)).equals(shard)) {
        tenant++;
      }
      tenants.add(tenant);
    }
    return tenants;
  }

  private static void plant(SampleSystem system, List<String> rows) throws SQLException {
    for (int from = 0; from < rows.size(); from += 200) {
      run(
          system,
          "INSERT INTO users (tenant_id, user_id, email, name) VALUES "
              + String.join(", ", rows.subList(from, Math.min(from + 200, rows.size()))));
    }
  }

  private static void run(SampleSystem system, String sql) throws SQLException {
    try (Connection client = system.router();
        Statement statement = client.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Map<String, List<Integer>> end(SampleSystem system) throws SQLException {
    Map<String, List<Integer>> end = new HashMap<>();
    for (ShardId shard : system.cluster().shards()) {
      try (Connection owner = system.cluster().asOwner(shard);
          Statement statement = owner.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT user_id, name FROM users WHERE email LIKE 'list%'")) {
        while (row.next()) {
          end.put(ListClient.key(row.getLong(1)), ListClient.values(row.getString(2)));
        }
      }
    }
    return end;
  }
}
