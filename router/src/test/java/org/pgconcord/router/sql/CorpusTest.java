package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;

/**
 * The SQL files of PostgreSQL's own source, read here and by PostgreSQL's grammar: how much is read
 * at all, and whether anything is read as another statement.
 */
@Tag("long")
class CorpusTest {
  private static final Path REPORT = Path.of("target/corpus");
  private static final Set<String> QUERIES =
      Set.of("SELECT", "SELECT INTO", "INSERT", "UPDATE", "DELETE", "MERGE");

  /** Whole files too: what is not SQL in them (psql's commands) is scanned all the same. */
  @Test
  void scansThemAsPostgresDoes() {
    List<String> texts = new ArrayList<>(statements());
    texts.addAll(DebianSource.texts(DebianSource.sql("postgresql-15")));
    TokenComparison comparison = TokenComparison.of(texts);
    System.out.printf(
        "corpus tokens: %d of %d texts compared, %d differ%n",
        comparison.compared(), texts.size(), comparison.differences().size());
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.compared()).isGreaterThan(texts.size() * 95 / 100);
  }

  /** What is spelt anew before it is read is the same tree to PostgreSQL. */
  @Test
  void spellsNothingIntoAnotherStatement() {
    List<String> written = new ArrayList<>();
    List<String> plain = new ArrayList<>();
    for (String sql : statements()) {
      String spelled = plain(sql);
      if (!spelled.equals(sql)) {
        written.add(sql);
        plain.add(spelled);
      }
    }
    PostgresOracle oracle = PostgresOracle.start();
    List<Optional<String>> before = oracle.trees(written);
    List<Optional<String>> after = oracle.trees(plain);
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (int i = 0; i < written.size(); i++) {
      compared += before.get(i).isPresent() ? 1 : 0;
      if (!before.get(i).equals(after.get(i))) {
        wrong.add(written.get(i) + "\n=> " + plain.get(i));
      }
    }
    System.out.printf("corpus spelt anew: %d, %d otherwise%n", compared, wrong.size());
    assertThat(wrong).isEmpty();
    assertThat(compared).isGreaterThan(50);
  }

  private static String plain(String sql) {
    try {
      return PlainSpelling.of(StatementText.one(sql)).sql();
    } catch (ConcordException e) {
      return sql;
    }
  }

  @Test
  void readsPostgresOwnStatements() throws IOException {
    List<String> statements = statements().stream().map(CorpusTest::plain).toList();
    List<Optional<PostgresOracle.Shape>> shapes = PostgresOracle.start().shapes(statements);
    Map<String, int[]> counts = new TreeMap<>();
    List<String> unread = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      String sql = statements.get(i);
      Optional<PostgresOracle.Shape> theirs = shapes.get(i).filter(s -> QUERIES.contains(s.kind()));
      if (theirs.isEmpty()) {
        continue;
      }
      int[] count = counts.computeIfAbsent(theirs.get().kind(), k -> new int[2]);
      count[0]++;
      try {
        StatementText text = StatementText.one(sql);
        StatementView view = StatementReader.read(text, Set.of());
        count[1]++;
        ViewShape.difference(text, view, theirs.get()).ifPresent(wrong::add);
      } catch (UnreadableException e) {
        unread.add("-- " + theirs.get().kind() + ": " + e.construct() + "\n" + sql);
      }
    }
    Files.createDirectories(REPORT);
    Files.writeString(REPORT.resolve("unread.sql"), String.join("\n%%\n", unread));
    Files.writeString(REPORT.resolve("wrong.txt"), String.join("\n%%\n", wrong));
    int all = counts.values().stream().mapToInt(c -> c[0]).sum();
    int read = counts.values().stream().mapToInt(c -> c[1]).sum();
    counts.forEach((kind, c) -> System.out.printf("corpus %s: %d of %d read%n", kind, c[1], c[0]));
    System.out.printf("corpus all: %d of %d read, %d wrongly%n", read, all, wrong.size());
    assertThat(wrong).isEmpty();
    assertThat(read).isGreaterThanOrEqualTo((int) (all * 0.97));
  }

  /** Of what is read, each node is where PostgreSQL has it, whatever is concluded from it. */
  @Test
  void nestsThemAsPostgresDoes() throws IOException {
    StructureComparison found = StructureComparison.of(PostgresOracle.start(), statements());
    Files.createDirectories(REPORT);
    Files.writeString(REPORT.resolve("nested.txt"), String.join("\n%%\n", found.differences()));
    Files.writeString(REPORT.resolve("uncompared.txt"), String.join("\n%%\n", found.left()));
    System.out.printf(
        "corpus nesting: %d the same, %d otherwise, %d not compared%n",
        found.compared(), found.differences().size(), found.left().size());
    assertThat(found.differences()).isEmpty();
    assertThat(found.compared()).isGreaterThan(22_000);
  }

  private static List<String> statements() {
    Set<String> distinct = new LinkedHashSet<>();
    for (String script : DebianSource.texts(DebianSource.sql("postgresql-15"))) {
      distinct.addAll(PsqlScript.statements(script));
    }
    return List.copyOf(distinct);
  }
}
