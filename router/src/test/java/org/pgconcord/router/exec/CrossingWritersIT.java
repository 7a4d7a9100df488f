package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.CopiesRouter.COUNTRIES;
import static org.pgconcord.router.exec.CopiesRouter.RATES;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sixteen writers of two reference tables with few keys, over four shards. */
class CrossingWritersIT {
  private static final Logger LOG = LoggerFactory.getLogger(CrossingWritersIT.class);
  private static final int CLIENTS = 16;

  /** What writers of few keys may run into; anything else is a fault. */
  private static final Set<String> EXPECTED = Set.of("23505", "40P01", "55P03", "25P02");

  @Test
  void copiesStayEqual() throws Exception {
    writers(30);
  }

  @Test
  @Tag("long")
  void copiesStayEqualForLong() throws Exception {
    writers(3_000);
  }

  private static void writers(int statements) throws Exception {
    long seed = Long.getLong("pgconcord.seed", System.nanoTime());
    AtomicLong done = new AtomicLong();
    AtomicLong refused = new AtomicLong();
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (CopiesRouter router = new CopiesRouter()) {
      List<Future<?>> writers = new ArrayList<>();
      for (int client = 0; client < CLIENTS; client++) {
        Random random = new Random(seed + client);
        writers.add(
            threads.submit(
                () -> {
                  write(router, random, statements, done, refused);
                  return null;
                }));
      }
      for (Future<?> writer : writers) {
        writer.get();
      }
      LOG.info(
          "suite crossing writers seed={} clients={} statements={} refused={} rows={}",
          seed,
          CLIENTS,
          done,
          refused,
          router.checker(RATES).rows());
      assertThat(done.get()).isGreaterThan(CLIENTS * statements / 4);
      assertThat(router.marked(COUNTRIES)).isEmpty();
      assertThat(router.marked(RATES)).isEmpty();
      assertThat(router.checker(COUNTRIES).violations(Set.of())).isEmpty();
      assertThat(router.checker(RATES).violations(Set.of())).isEmpty();
      assertThat(router.checker(RATES).rows()).isPositive();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void write(
      CopiesRouter router, Random random, int statements, AtomicLong done, AtomicLong refused)
      throws SQLException {
    try (Connection client = router.connect();
        Statement statement = client.createStatement()) {
      for (int i = 0; i < statements; i++) {
        boolean transaction = random.nextInt(4) == 0;
        try {
          client.setAutoCommit(!transaction);
          for (int n = transaction ? 1 + random.nextInt(3) : 1; n > 0; n--) {
            statement.execute(change(random));
          }
          if (transaction && random.nextInt(5) == 0) {
            client.rollback();
          } else if (transaction) {
            client.commit();
          }
          done.incrementAndGet();
        } catch (SQLException e) {
          refused.incrementAndGet();
          assertThat(EXPECTED).as("%s", e).contains(e.getSQLState());
          if (transaction) {
            client.rollback();
          }
        }
      }
    }
  }

  private static String change(Random random) {
    String code = "A" + (char) ('A' + random.nextInt(8));
    return switch (random.nextInt(7)) {
      case 0 -> "INSERT INTO countries VALUES ('%s', random()::text)".formatted(code);
      case 1 ->
          "INSERT INTO countries VALUES ('%s', 'x') ON CONFLICT (code) DO UPDATE SET name ="
                  .formatted(code)
              + " countries.name || random()::text";
      case 2 -> "UPDATE countries SET name = random()::text WHERE code >= '%s'".formatted(code);
      case 3 -> "DELETE FROM countries WHERE code = '%s'".formatted(code);
      case 4 ->
          "INSERT INTO rates (code, rate, note) VALUES ('%s', random(), now())".formatted(code);
      case 5 -> "UPDATE rates SET rate = random(), note = NULL WHERE code = '%s'".formatted(code);
      default -> "DELETE FROM rates WHERE code = '%s' AND random() < 0.7".formatted(code);
    };
  }
}
