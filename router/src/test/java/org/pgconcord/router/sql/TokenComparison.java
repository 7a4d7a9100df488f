package org.pgconcord.router.sql;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.pgconcord.config.error.ConcordException;

/**
 * Texts as the lexer and PostgreSQL's own scanner read them. The package at hand departs from the
 * server's scanner in two points, since it reports comments as tokens and takes {@code $1and}
 * apart; such texts are left to {@link LexerTest}, whose expectations were tried on servers.
 *
 * @param compared how many texts both have read
 * @param differences those that they read differently
 */
record TokenComparison(int compared, List<String> differences) {

  /** A quote before or after a comment could be a continued string; a letter behind a parameter. */
  private static final Pattern DEPARTS =
      Pattern.compile("(?s)'\\s*--.*[\\n\\r].*'|\\$[0-9]+[a-zA-Z_\\x80-\\x{10FFFF}]");

  static TokenComparison of(List<String> texts) {
    List<PostgresOracle.Answer> expected = PostgresOracle.start().scan(texts);
    List<String> differences = new ArrayList<>();
    int compared = 0;
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i);
      if (!expected.get(i).known() || DEPARTS.matcher(text).find()) {
        continue;
      }
      compared++;
      Optional<List<PostgresOracle.Token>> tokens = expected.get(i).tokens();
      String theirs = tokens.map(t -> theirs(text, t)).orElse("error");
      String ours = ours(text);
      if (!ours.equals(theirs)) {
        differences.add("%s%n  PostgreSQL: %s%n  here:       %s".formatted(text, theirs, ours));
      }
    }
    return new TokenComparison(compared, differences);
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

  private static String theirs(String text, List<PostgresOracle.Token> tokens) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder();
    for (PostgresOracle.Token token : tokens) {
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
