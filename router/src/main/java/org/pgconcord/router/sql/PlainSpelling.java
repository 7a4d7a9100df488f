package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A statement in the commoner of two spellings that are one statement to PostgreSQL, so that all
 * that looks at its tokens has only that one to know:
 *
 * <ul>
 *   <li>{@code TABLE t} is {@code SELECT * FROM t}, in the grammar itself;
 *   <li>{@code U&"..." UESCAPE '!'} is a name, and with single quotes a string;
 *   <li>{@code a JOIN b JOIN c ON x ON y} is {@code a JOIN (b JOIN c ON x) ON y};
 *   <li>{@code (a JOIN b ON x) AS j} hides a and b and shows the columns of both in their order, as
 *       {@code (SELECT * FROM a JOIN b ON x) AS j} does.
 * </ul>
 *
 * <p>What goes by a route is this text; only places in a server's error messages are counted in it.
 */
public final class PlainSpelling {
  /** How statements begin that are queries or have one in them. */
  private static final Set<String> BEGINNINGS =
      Set.of(
          "(", "copy", "delete", "explain", "insert", "merge", "select", "table", "update",
          "values", "with");

  /** Behind these a query begins, and with it perhaps TABLE. */
  private static final Set<String> BEFORE_QUERY =
      Set.of("union", "intersect", "except", "all", "distinct");

  private final StatementText text;
  private final Tokens tokens;
  private final Clauses clauses;
  private final List<SqlReplacement> changes = new ArrayList<>();

  private PlainSpelling(StatementText text) {
    this.text = text;
    this.tokens = text.tokens();
    this.clauses = new Clauses(tokens);
  }

  /** The statement itself where nothing in it is spelt otherwise. */
  public static StatementText of(StatementText text) {
    return isPlain(text.tokens()) ? text : new PlainSpelling(text).spelled();
  }

  /**
   * Decided in one pass, since every statement is asked: false wherever a join stands in
   * parentheses of its own, two conditions follow each other without a JOIN between them, or one of
   * the rarer words occurs.
   */
  private static boolean isPlain(Tokens tokens) {
    if (!BEGINNINGS.contains(tokens.size() == 0 ? "" : Names.fold(tokens.text(0)))) {
      return true;
    }
    long joins = 0; // for each level of parentheses whether a join could stand in them alone
    int depth = 0;
    boolean condition = false;
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.isSymbol(i, "(")) {
        if (++depth == Long.SIZE) {
          return false;
        }
        boolean query = tokens.isAnyWord(i + 1, "select", "with", "values");
        joins = query ? joins & ~(1L << depth) : joins | 1L << depth;
      } else if (tokens.isSymbol(i, ")")) {
        depth = Math.max(0, depth - 1);
      } else if (tokens.isWord(i, "join")) {
        if ((joins >> depth & 1) == 1) {
          return false;
        }
        condition = false;
      } else if (tokens.isAnyWord(i, "on", "using")) {
        if (condition) {
          return false;
        }
        condition = true;
      } else if (tokens.isAnyWord(i, "table", "uescape", "cross", "natural")) {
        return false;
      }
    }
    return true;
  }

  private StatementText spelled() {
    for (int i = 0; i < tokens.size(); i++) {
      if (isTableCommand(i)) {
        changes.add(new SqlReplacement(i, i + 1, "SELECT * FROM"));
      } else if (tokens.isWord(i + 1, "uescape")) {
        unescaped(i);
      } else if (tokens.isSymbol(i, "(")) {
        namedJoin(i);
      }
    }
    new NestedJoins(tokens, clauses).parentheses().forEach(changes::add);
    if (changes.isEmpty()) {
      return text;
    }
    String plain = SqlReplacement.apply(text, changes);
    return new StatementText(plain, Lexer.scan(plain));
  }

  /** TABLE where a SELECT could stand, and a name behind it. */
  private boolean isTableCommand(int i) {
    boolean query =
        i == 0
            || tokens.isSymbol(i - 1, "(")
            || tokens.isSymbol(i - 1, ")")
            || isInserted(i)
            || (tokens.kind(i - 1) == TokenKind.WORD
                && BEFORE_QUERY.contains(Names.fold(tokens.text(i - 1))));
    boolean name = i + 1 < tokens.size() && tokens.kind(i + 1).isName();
    return clauses.isKeyword(i, "table") && query && name;
  }

  /** {@code INSERT INTO t TABLE u}: the target's name stands in front. */
  private boolean isInserted(int i) {
    int first = i - 1;
    while (tokens.isSymbol(first - 1, ".")) {
      first -= 2;
    }
    if (tokens.isWord(first - 1, "as")) {
      first -= 2;
      while (tokens.isSymbol(first - 1, ".")) {
        first -= 2;
      }
    }
    return tokens.isWord(first - 1, "into") && tokens.isWord(first - 2, "insert");
  }

  private void unescaped(int i) {
    TokenKind kind = tokens.kind(i);
    boolean name = kind == TokenKind.UNICODE_NAME;
    if ((!name && kind != TokenKind.UNICODE_STRING)
        || i + 2 >= tokens.size()
        || tokens.kind(i + 2) != TokenKind.STRING) {
      return;
    }
    String quote = name ? "\"" : "'";
    String written = tokens.text(i);
    String contents = written.substring(3, written.length() - 1);
    String escape = tokens.text(i + 2);
    Optional<String> decoded =
        escape.length() == 3 && contents.indexOf('\n') < 0
            ? UnicodeEscapes.decode(contents.replace(quote + quote, quote), escape.charAt(1))
            : Optional.empty();
    decoded.ifPresent(
        plain ->
            changes.add(
                new SqlReplacement(i, i + 3, quote + plain.replace(quote, quote + quote) + quote)));
  }

  /** Parentheses around a join, and a name behind them. */
  private void namedJoin(int open) {
    int close = clauses.close(open);
    if (close < 0 || !clauses.joins().isJoin(open + 1, close)) {
      return;
    }
    boolean named =
        tokens.isWord(close + 1, "as")
            || (close + 1 < tokens.size()
                && (tokens.kind(close + 1) == TokenKind.QUOTED_NAME
                    || (tokens.kind(close + 1) == TokenKind.WORD
                        && !Keywords.isKeyword(tokens.text(close + 1)))));
    if (named && !lateral(open, close)) {
      changes.add(new SqlReplacement(open + 1, open + 1, "SELECT * FROM "));
    }
  }

  /** It may look at what stands in front of the parentheses, which a subquery may not. */
  private boolean lateral(int open, int close) {
    for (int i = open; i < close; i++) {
      if (clauses.isKeyword(i, "lateral")) {
        return true;
      }
    }
    return false;
  }
}
