package org.pgconcord.router.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.error.ConcordException;

/**
 * The lexer reads every text as PostgreSQL's own scanner does, errors included. The package at hand
 * departs from the server's scanner in two points, since it reports comments as tokens and takes
 * {@code $1and} apart; such texts are left to {@link LexerTest}, whose expectations were tried on
 * servers.
 */
class LexerAgainstPostgresTest {
  private static final Path RESOURCES = Path.of("src/test/resources");

  /** A quote before or after a comment could be a continued string; a letter behind a parameter. */
  private static final Pattern DEPARTS =
      Pattern.compile("(?s)'\\s*--.*[\\n\\r].*'|\\$[0-9]+[a-zA-Z_\\x80-\\x{10FFFF}]");

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
    List<PostgresScanner.Answer> expected = PostgresScanner.start().scan(texts);
    List<String> differences = new ArrayList<>();
    int compared = 0;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      if (!expected.get(i).known() || DEPARTS.matcher(text).find()) {
        continue;
      }
      compared++;
      String theirs = expected.get(i).tokens().map(t -> theirs(text, t)).orElse("error");
      String ours = ours(text);
      if (!ours.equals(theirs)) {
        differences.add("%s%n  PostgreSQL: %s%n  here:       %s".formatted(text, theirs, ours));
      }
    }
    assertThat(differences).isEmpty();
    assertThat(compared).isGreaterThan(texts.size() / 2);
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

  private static String ours(String text) {
    try {
      Tokens tokens = Lexer.scan(text);
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < tokens.size(); i++) {
        out.append(kind(tokens, i)).append('‹').append(tokens.text(i)).append('›');
      }
      return out.toString();
    } catch (ConcordException e) {
      return "error";
    }
  }

  /** Kinds as the two sides can both tell them. */
  private static String kind(Tokens tokens, int i) {
    return switch (tokens.kind(i)) {
      case WORD, QUOTED_NAME -> "name";
      case UNICODE_NAME -> "unicode-name";
      case STRING, ESCAPE_STRING, DOLLAR_STRING -> "string";
      case UNICODE_STRING -> "unicode-string";
      case BIT_STRING -> "bits";
      case HEX_STRING -> "hex";
      case INTEGER -> "integer";
      case NUMERIC -> "numeric";
      case PARAMETER -> "parameter";
      case TYPECAST, OPERATOR, PUNCTUATION -> "symbol";
    };
  }

  private static String theirs(String text, List<PostgresScanner.Token> tokens) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder();
    for (PostgresScanner.Token token : tokens) {
      String piece =
          new String(bytes, token.start(), token.end() - token.start(), StandardCharsets.UTF_8);
      out.append(kind(token.type())).append('‹').append(piece).append('›');
    }
    return out.toString();
  }

  /** The order of {@code %token} in gram.y; single characters are their own numbers. */
  private static String kind(int type) {
    return switch (type) {
      case 258 -> "name";
      case 259 -> "unicode-name";
      case 260 -> "numeric";
      case 261 -> "string";
      case 262 -> "unicode-string";
      case 263 -> "bits";
      case 264 -> "hex";
      case 266 -> "integer";
      case 267 -> "parameter";
      case 265, 268, 269, 270, 271, 272, 273, 274 -> "symbol";
      default -> type < 256 ? "symbol" : "name";
    };
  }
}
