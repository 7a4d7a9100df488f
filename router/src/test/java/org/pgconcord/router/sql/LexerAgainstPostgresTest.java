package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The lexer reads every text as PostgreSQL's own scanner does, errors included. */
class LexerAgainstPostgresTest {
  private static final Path RESOURCES = Path.of("src/test/resources");

  private static final List<String> PIECES =
      List.of(
          "'", "''", "E'", "e'", "U&'", "U&\"", "B'", "x'", "N'", "\"", "\"\"", "$$", "$a$", "$1",
          "$", "--", "/*", "*/", "\n", "\r", " ", "\t", "\\", "\\'", "a", "e", "E5", "_", "1", "0x",
          "0b1", ".", "..", ":", "::", ":=", "=", "=>", "<", ">", "<=", "!", "!=", "+", "-", "*",
          "/", "@", "#", "%", "^", "&", "|", "~", "?", "`", "(", ")", "[", "]", ",", ";", "é", "日",
          "😀", "select", "u&", "'a'", "1.5", "e-", "\f");

  @Test
  void readsTheSampleAlike() throws IOException {
    List<String> texts = sample();
    assertThat(texts).hasSizeGreaterThanOrEqualTo(300);
    compare(texts);
  }

  @Test
  void readsRandomTextAlike() {
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    System.out.println("LexerAgainstPostgresTest -Dfuzz.seed=" + seed);
    Random random = new Random(seed);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      StringBuilder text = new StringBuilder();
      int length = 1 + random.nextInt(14);
      for (int k = 0; k < length; k++) {
        text.append(PIECES.get(random.nextInt(PIECES.size())));
      }
      texts.add(text.toString());
    }
    compare(texts);
  }

  private static void compare(List<String> texts) {
    TokenComparison comparison = TokenComparison.of(texts);
    assertThat(comparison.differences()).isEmpty();
    assertThat(comparison.compared()).isGreaterThan(texts.size() / 2);
  }

  private static List<String> sample() throws IOException {
    List<String> texts =
        new ArrayList<>(
            List.of(Files.readString(RESOURCES.resolve("lexer/hostile.txt")).split("\n%%\n")));
    try (Stream<Path> files = Files.list(RESOURCES.resolve("plans"))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".cases")).sorted().toList()) {
        for (String block : Files.readString(file).split("\n\n+")) {
          texts.add(block.split("\n=>\n")[0]);
        }
      }
    }
    return texts;
  }
}
