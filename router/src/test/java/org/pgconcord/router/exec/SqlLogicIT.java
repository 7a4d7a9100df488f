package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * SQLite's sqllogictest files over four shards answer as one server with all rows. What is refused
 * is counted file by file: {@code sqllogictest/refused.txt} holds the most there may be, which may
 * only fall ({@code -Dpgconcord.write=true} writes what was found).
 */
class SqlLogicIT {
  private static final Path CEILINGS = Path.of("src/test/resources/sqllogictest/refused.txt");

  /** A file, and how many of its queries are asked at the most. */
  private static final Map<String, Integer> MANY =
      Map.ofEntries(
          Map.entry("select1.test", 10_000),
          Map.entry("select2.test", 10_000),
          Map.entry("select3.test", 10_000),
          Map.entry("select4.test", 10_000),
          Map.entry("select5.test", 10_000),
          Map.entry("random/aggregates/slt_good_41.test", 1_000),
          Map.entry("random/expr/slt_good_41.test", 1_000),
          Map.entry("random/groupby/slt_good_8.test", 1_000),
          Map.entry("random/select/slt_good_41.test", 1_000),
          Map.entry("index/between/1000/slt_good_0.test", 500),
          Map.entry("index/commute/1000/slt_good_2.test", 500),
          Map.entry("index/in/1000/slt_good_0.test", 500),
          Map.entry("index/orderby/1000/slt_good_0.test", 500),
          Map.entry("index/orderby_nosort/1000/slt_good_0.test", 500),
          Map.entry("index/random/1000/slt_good_8.test", 500));

  private static LogicServer server;

  @BeforeAll
  static void start() throws SQLException {
    server = new LogicServer();
  }

  @AfterAll
  static void stop() throws SQLException {
    server.close();
  }

  @Test
  void someQueriesOfTheFilesAnswerAsOneServer() throws SQLException, IOException {
    run(new TreeMap<>(Map.of("select1.test", 40, "select2.test", 40, "select3.test", 40)));
  }

  @Tag("long")
  @Test
  void queriesOfTheFilesAnswerAsOneServer() throws SQLException, IOException {
    run(new TreeMap<>(MANY));
  }

  private static void run(Map<String, Integer> files) throws SQLException, IOException {
    Map<String, Integer> ceilings =
        Files.readAllLines(CEILINGS).stream()
            .map(line -> line.split(" "))
            .collect(Collectors.toMap(w -> w[0], w -> Integer.parseInt(w[1])));
    Map<String, Integer> refused = new TreeMap<>();
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Integer> file : files.entrySet()) {
      Outcome outcome = new Outcome();
      compare(file.getKey(), file.getValue(), outcome);
      System.out.printf(
          "suite sqllogictest file=%s count=%d refused=%d late=%d slow=%d errors=%d wrong=%d"
              + " seconds=%d%n",
          file.getKey(),
          outcome.asked,
          outcome.refused.size(),
          outcome.late,
          outcome.slow,
          outcome.errors,
          outcome.wrong.size(),
          outcome.seconds());
      outcome.refused.stream().limit(3).forEach(System.out::println);
      refused.put(file.getKey(), outcome.refused.size());
      wrong.addAll(outcome.wrong);
    }
    assertThat(wrong).isEmpty();
    if (Boolean.getBoolean("pgconcord.write")) {
      ceilings.putAll(refused);
      Files.write(
          CEILINGS,
          new TreeMap<>(ceilings)
              .entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).toList());
    }
    refused.forEach(
        (file, count) ->
            assertThat(count).as(file).isLessThanOrEqualTo(ceilings.getOrDefault(file, 0)));
  }

  /** What became of a file's queries. */
  private static final class Outcome {
    private final long start = System.nanoTime();
    private final List<String> wrong = new ArrayList<>();
    private final List<String> refused = new ArrayList<>();
    private int asked;
    private int errors;

    /** Not answered in time through the router alone, or by one server either. */
    private int late;

    private int slow;

    long seconds() {
      return (System.nanoTime() - start) / 1_000_000_000;
    }

    void add(String sql, String expected, String found) {
      asked++;
      if (expected.startsWith("error 57014")) {
        slow++;
      } else if (found.startsWith("error 57014")) {
        late++;
      } else if (found.startsWith("error 0A000") || found.startsWith("error 54000")) {
        refused.add(sql + "\n  " + found);
      } else if (!found.equals(expected)) {
        wrong.add(sql + "\n  one server: " + expected + "\n  router:     " + found);
      } else if (expected.startsWith("error")) {
        errors++;
      }
    }
  }

  private static void compare(String file, int most, Outcome outcome)
      throws SQLException, IOException {
    List<LogicFile.Item> records = LogicFile.read(file);
    int queries = (int) records.stream().filter(LogicFile.Item::query).count();
    int begin = 0;
    while (!records.get(begin).query()) {
      begin++;
    }
    server.load(records.subList(0, begin).stream().map(LogicFile.Item::sql).toList());
    int step = Math.max(1, queries / most);
    int number = 0;
    try (Connection client = server.client("extended")) {
      for (LogicFile.Item record : records.subList(begin, records.size())) {
        if (!record.query()) {
          server.change(client, record.sql());
        } else if (number++ % step == 0 && outcome.asked < most) {
          outcome.add(record.sql(), answer(server.whole, record), answer(client, record));
        }
      }
    }
  }

  private static String answer(Connection connection, LogicFile.Item query) {
    try (PreparedStatement statement = connection.prepareStatement(query.sql())) {
      return WholeServer.answer(statement, query.sorted());
    } catch (SQLException e) {
      return "error " + e.getSQLState() + " " + e.getMessage();
    }
  }
}
