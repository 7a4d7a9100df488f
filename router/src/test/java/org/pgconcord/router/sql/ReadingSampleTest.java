package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Statements of our own with what PostgreSQL's grammar makes of them, and how much of that is seen
 * here. A case of {@code reading/sample.cases} is a statement, {@code =>}, its kind and shape, and
 * the claims that could be made of it: {@code +} those that the reader makes, {@code -} those that
 * it leaves out. {@code unread} stands for a refusal, with its words. With {@code -Dreadings=write}
 * the file is made anew, by PostgreSQL's grammar; else nothing but the file is needed.
 */
class ReadingSampleTest {
  private static final Path FILE = Path.of("src/test/resources/reading/sample.cases");

  /** What the topology of the plan cases declares. */
  private static final Set<String> WATCHED =
      Set.of("users", "orders", "pages", "rooms", "bookings", "events", "countries", "codes");

  @TestFactory
  List<DynamicTest> readsAsPostgresDoes() throws IOException {
    List<String> blocks = blocks();
    if ("write".equals(System.getProperty("readings"))) {
      Files.writeString(FILE, written(blocks.stream().map(b -> b.split("\n=>")[0]).toList()));
    }
    return blocks().stream()
        .map(
            block -> {
              String sql = block.split("\n=>")[0];
              return DynamicTest.dynamicTest(
                  sql.lines().findFirst().orElse(""), () -> check(sql, block));
            })
        .toList();
  }

  @Test
  void hasFiveHundredStatementsAndReadsMostOfThem() throws IOException {
    List<String> blocks = blocks();
    long unread = blocks.stream().filter(b -> b.contains("\nunread ")).count();
    assertThat(blocks).hasSizeGreaterThanOrEqualTo(500);
    assertThat(unread).isLessThan(blocks.size() / 20);
  }

  private static void check(String sql, String block) {
    PostgresOracle.Shape theirs = expected(block).orElseThrow();
    assertThat(difference(sql, theirs)).isEmpty();
    assertThat(text(sql, theirs)).isEqualTo(block);
  }

  /** The statement with PostgreSQL's tree and what is seen of it here. */
  private static String text(String sql, PostgresOracle.Shape theirs) {
    List<String> lines = new ArrayList<>();
    lines.add(sql);
    lines.add("=>");
    Set<String> made = Set.of();
    try {
      StatementText text = plain(sql);
      StatementView view = StatementReader.read(text, WATCHED);
      made = new ViewShape(text, view).claims();
    } catch (UnreadableException e) {
      lines.add("unread " + e.construct());
    }
    lines.add((theirs.kind() + " " + theirs.shape()).strip());
    for (String claim : new TreeSet<>(theirs.claims())) {
      lines.add((made.contains(claim) ? "+ " : "- ") + claim);
    }
    return String.join("\n", lines);
  }

  private static Optional<String> difference(String sql, PostgresOracle.Shape theirs) {
    try {
      StatementText text = plain(sql);
      return ViewShape.difference(text, StatementReader.read(text, WATCHED), theirs);
    } catch (UnreadableException e) {
      return Optional.empty();
    }
  }

  private static Optional<PostgresOracle.Shape> expected(String block) {
    List<String> lines = block.substring(block.indexOf("\n=>\n") + 4).lines().toList();
    Set<String> claims = new TreeSet<>();
    lines.stream()
        .filter(l -> l.startsWith("+ ") || l.startsWith("- "))
        .forEach(l -> claims.add(l.substring(2)));
    return lines.stream()
        .filter(l -> !l.startsWith("unread ") && !l.startsWith("+ ") && !l.startsWith("- "))
        .findFirst()
        .map(
            l -> {
              String[] words = l.split(" ", 2);
              return new PostgresOracle.Shape(words[0], words.length < 2 ? "" : words[1], claims);
            });
  }

  private static String written(List<String> statements) {
    List<String> plain = statements.stream().map(sql -> plain(sql).sql()).toList();
    PostgresOracle oracle = PostgresOracle.start();
    List<Optional<PostgresOracle.Shape>> shapes = oracle.shapes(plain);
    assertThat(oracle.trees(plain)).isEqualTo(oracle.trees(statements));
    List<String> blocks = new ArrayList<>();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      String sql = statements.get(i);
      PostgresOracle.Shape theirs =
          shapes.get(i).orElseThrow(() -> new AssertionError("no statement: " + sql));
      difference(sql, theirs).ifPresent(wrong::add);
      blocks.add(text(sql, theirs));
    }
    assertThat(wrong).isEmpty();
    return String.join("\n\n", blocks) + "\n";
  }

  /** As it is read: places in its shape are places of this text. */
  private static StatementText plain(String sql) {
    return PlainSpelling.of(StatementText.one(sql));
  }

  private static List<String> blocks() throws IOException {
    return Stream.of(Files.readString(FILE).split("\n\n+")).map(String::strip).toList();
  }
}
