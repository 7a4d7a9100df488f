package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.WholeServer.answer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random queries over shards answer as one server with all rows does. */
class RandomQueriesIT {
  private static final long SEED = Long.getLong("pgconcord.seed", System.nanoTime());

  private static WholeServer server;

  @BeforeAll
  static void start() throws SQLException, IOException {
    server = new WholeServer();
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
  }

  @Test
  void randomQueriesAnswerAsOneServer() throws SQLException {
    compare(300);
  }

  @Tag("long")
  @Test
  void manyRandomQueriesAnswerAsOneServer() throws SQLException {
    compare(20_000);
  }

  /** Errors count as answers where one server has them too; a refusal is none. */
  private static void compare(int count) throws SQLException {
    RandomQueries queries = new RandomQueries(new Random(SEED));
    List<String> wrong = new ArrayList<>();
    List<String> refused = new ArrayList<>();
    int errors = 0;
    try (Connection simple = server.router.connect("simple");
        Connection extended = server.router.connect("extended")) {
      for (int i = 0; i < count; i++) {
        String query = queries.next();
        String expected = answer(server.whole, query);
        errors += expected.startsWith("error") ? 1 : 0;
        String found = answer(i % 2 == 0 ? simple : extended, query);
        if (found.contains("error 0A000")) {
          refused.add(query + "\n  " + found);
        } else if (!found.equals(expected)) {
          wrong.add(query + "\n  one server: " + expected + "\n  router:     " + found);
        }
      }
    }
    System.out.printf(
        "suite random queries count=%d refused=%d errors=%d seed=%d%n",
        count, refused.size(), errors, SEED);
    assertThat(wrong).as("seed " + SEED).isEmpty();
    assertThat(errors).as("seed " + SEED).isLessThan(count / 10);
    assertThat(refused).as("seed " + SEED).hasSizeLessThanOrEqualTo(count / 50);
  }
}
