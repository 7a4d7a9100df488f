package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.pgconcord.router.exec.WholeServer.answer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
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
    server = new WholeServer(WholeServer.INDEXED);
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
  }

  @Test
  void randomQueriesAnswerAsOneServer() throws SQLException {
    compare(800);
  }

  @Tag("long")
  @Test
  void manyRandomQueriesAnswerAsOneServer() throws SQLException {
    compare(20_000);
  }

  @Test
  void answersToPartsOfAQuestionMakeTheAnswer() throws SQLException {
    partition(40);
    count(50);
  }

  @Tag("long")
  @Test
  void answersToManyPartsOfQuestionsMakeTheAnswers() throws SQLException {
    partition(2_000);
    count(2_000);
  }

  private static final List<String> SOURCES =
      List.of(
          "accounts a",
          "accounts a JOIN orders o ON o.tenant = a.tenant AND o.account = a.id",
          "accounts a JOIN orders o ON o.account = a.id",
          "accounts a LEFT JOIN orders o ON o.tenant = a.tenant AND o.account = a.id",
          "accounts a LEFT JOIN orders o ON o.account = a.id",
          "accounts a JOIN countries c ON c.code = a.code");

  /**
   * Ternary logic partitioning (Rigger and Su, OOPSLA 2020): each row meets a condition, or its
   * negation, or neither can be told.
   */
  private static void partition(int count) throws SQLException {
    Random random = new Random(SEED + 1);
    RandomQueries queries = new RandomQueries(random);
    try (Connection client = server.router.connect("extended")) {
      for (int i = 0; i < count; i++) {
        String from = SOURCES.get(random.nextInt(SOURCES.size()));
        String columns = from.contains("orders") ? "a.id, a.city, o.order_id" : "a.id, a.city";
        String all = "SELECT " + columns + " FROM " + from;
        String p = queries.predicate(from.contains("orders"));
        List<String> parts = new ArrayList<>();
        for (String one : List.of(p, "NOT (" + p + ")", "(" + p + ") IS NULL")) {
          parts.addAll(rows(client, all + " WHERE " + one));
        }
        Collections.sort(parts);
        assertThat(parts).as(all + " by " + p + " seed " + SEED).isEqualTo(rows(client, all));
        String united =
            all
                + " WHERE "
                + p
                + " UNION ALL "
                + all
                + " WHERE NOT ("
                + p
                + ") UNION ALL "
                + all
                + " WHERE ("
                + p
                + ") IS NULL";
        assertThat(rows(client, united)).as(united + " seed " + SEED).isEqualTo(parts);
      }
    }
    System.out.printf("suite random queries partitioned count=%d seed=%d%n", count * 5, SEED);
  }

  /** A condition that selects, and the same as a value (NoREC: Rigger and Su, FSE 2020). */
  private static void count(int count) throws SQLException {
    Random random = new Random(SEED + 2);
    RandomQueries queries = new RandomQueries(random);
    try (Connection client = server.router.connect("simple")) {
      for (int i = 0; i < count; i++) {
        String from = SOURCES.get(random.nextInt(SOURCES.size()));
        String p = queries.predicate(from.contains("orders"));
        String selected = "SELECT count(*) FROM " + from + " WHERE " + p;
        long met =
            rows(client, "SELECT (" + p + ") IS TRUE FROM " + from).stream()
                .filter("t"::equals)
                .count();
        assertThat(rows(client, selected))
            .as(selected + " seed " + SEED)
            .containsExactly(Long.toString(met));
      }
    }
    System.out.printf("suite random queries counted count=%d seed=%d%n", count * 2, SEED);
  }

  private static List<String> rows(Connection client, String query) throws SQLException {
    List<String> lines = new ArrayList<>();
    try (Statement statement = client.createStatement();
        ResultSet rows = executed(statement, query)) {
      int columns = rows.getMetaData().getColumnCount();
      while (rows.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          values.add(String.valueOf(rows.getString(i)));
        }
        lines.add(String.join("|", values));
      }
    }
    Collections.sort(lines);
    return lines;
  }

  private static ResultSet executed(Statement statement, String query) throws SQLException {
    try {
      return statement.executeQuery(query);
    } catch (SQLException e) {
      throw new SQLException(query + " seed " + SEED, e);
    }
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
    refused.stream().limit(5).forEach(System.out::println);
    assertThat(wrong).as("seed " + SEED).isEmpty();
    assertThat(errors).as("seed " + SEED).isLessThan(count / 10);
    assertThat(refused).as("seed " + SEED).hasSizeLessThanOrEqualTo(count / 50);
  }
}
