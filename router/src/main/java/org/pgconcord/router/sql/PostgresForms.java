package org.pgconcord.router.sql;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Forms of PostgreSQL's that JSqlParser cannot read, put into words that it can. What is left out
 * of the analysed text names no relation and holds no condition: a subquery in it would be missed
 * by the count of SELECTs, and the statement refused.
 */
final class PostgresForms {
  private static final Set<String> ENDS_SET = Set.of("where", "from", "returning", "when");

  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;
  private final int[] openers;

  PostgresForms(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
    this.openers = openers(tokens);
  }

  /** Changes the pieces of the analysed text, one for each token. */
  void rewrite() {
    for (int i = 0; i < pieces.length; i++) {
      switch (tokens.kind(i)) {
        case WORD -> word(i);
        case PUNCTUATION -> slice(i);
        case OPERATOR -> {
          inherited(i);
          sign(i);
        }
        default -> {}
      }
    }
  }

  private void word(int i) {
    switch (tokens.text(i).toLowerCase(Locale.ROOT)) {
      case "all" -> {
        if (isIdleAll(tokens, i)) {
          pieces[i] = "";
        }
      }
      case "as" -> label(i + 1);
      case "for" -> {
        collationFor(i);
        substringFor(i);
      }
      case "into" -> inserted(i);
      case "set" -> assigned(i);
      case "tablesample" -> sample(i);
      case "row" -> {
        if (tokens.isSymbol(i - 1, "=") && tokens.isSymbol(i + 1, "(")) {
          pieces[i] = "";
        }
      }
      case "path" -> {
        if (i > 0 && tokens.kind(i - 1) == TokenKind.TYPECAST) {
          pieces[i] = "\"path\"";
        }
      }
      default -> {}
    }
  }

  /** {@code SELECT ALL a} and {@code count(ALL a)} say what holds without it. */
  static boolean isIdleAll(Tokens tokens, int i) {
    return tokens.isWord(i, "all")
        && (tokens.isWord(i - 1, "select") || tokens.isSymbol(i - 1, "("));
  }

  /** Any keyword is a name behind AS: {@code AS true}. In CAST a type stands there. */
  private void label(int i) {
    boolean name =
        i < pieces.length
            && tokens.kind(i) == TokenKind.WORD
            && !tokens.isSymbol(i + 1, "(")
            && !tokens.isWord(i + 1, "materialized")
            && !tokens.isAnyWord(openers[i] - 1, "cast", "treat", "xmlserialize");
    if (name && Keywords.isKeyword(tokens.text(i))) {
      pieces[i] = '"' + Names.fold(tokens.text(i)) + '"';
    }
  }

  private void collationFor(int i) {
    if (tokens.isWord(i - 1, "collation") && tokens.isSymbol(i + 1, "(")) {
      pieces[i - 1] = "";
      pieces[i] = "pg_collation_for";
    }
  }

  /** {@code substring(x FOR 2)}, without FROM. */
  private void substringFor(int i) {
    if (tokens.isWord(openers[i] - 1, "substring") && clauses.leftwards(i, "from") < 0) {
      pieces[i] = ",";
    }
  }

  /** {@code [:]}, {@code [2:]} and {@code [:3]} get the bounds that they lack. */
  private void slice(int i) {
    if (pieces[i].equals(":")) {
      pieces[i] =
          (tokens.isSymbol(i - 1, "[") ? "0 " : "")
              + ":"
              + (tokens.isSymbol(i + 1, "]") ? " 0" : "");
    }
  }

  /** {@code FROM t*} is {@code FROM t}. */
  private void inherited(int i) {
    int first = i - 1;
    while (tokens.isSymbol(first - 1, ".")) {
      first -= 2;
    }
    boolean table =
        tokens.isSymbol(i, "*")
            && first > 0
            && tokens.kind(first).isName()
            && tokens.isAnyWord(first - 1, "from", "join")
            && !tokens.isWord(first - 2, "distinct")
            && !isCallsFrom(first - 1);
    if (table) {
      pieces[i] = "";
    }
  }

  /** {@code extract(year FROM x)} and its kin. */
  private boolean isCallsFrom(int from) {
    return tokens.isAnyWord(
        openers[from] - 1, "extract", "substring", "trim", "overlay", "position");
  }

  /** Of several signs in a row each but the first gets a zero to its left. */
  private void sign(int i) {
    boolean second = tokens.isSymbol(i - 1, "-") || tokens.isSymbol(i - 1, "+");
    if (second && (tokens.isSymbol(i, "-") || tokens.isSymbol(i, "+"))) {
      pieces[i] = "0 " + tokens.text(i);
    }
  }

  /** The method and its arguments say which rows are read, not of which table. */
  private void sample(int i) {
    int open = i + 2;
    while (tokens.isSymbol(open, ".")) {
      open += 2;
    }
    int close = clauses.close(open);
    if (close > 0 && tokens.isWord(close + 1, "repeatable")) {
      close = clauses.close(close + 2);
    }
    if (close > 0) {
      Arrays.fill(pieces, i, close + 1, "");
    }
  }

  /** The list of an INSERT: elements and fields of a column are assignments to the column. */
  private void inserted(int into) {
    int i = into + 2;
    while (tokens.isSymbol(i, ".")) {
      i += 2;
    }
    if (tokens.isWord(i, "as")) {
      i += 2;
    }
    if (tokens.isWord(into - 1, "insert") && !tokens.isAnyWord(i + 1, "select", "with", "values")) {
      columns(i);
    }
  }

  /** SET of an UPDATE. */
  private void assigned(int set) {
    int i = set + 1;
    while (i < pieces.length && (tokens.kind(i).isName() || clauses.close(i) > 0)) {
      if (tokens.isSymbol(i, "(")) {
        columns(i);
      } else {
        parts(i);
      }
      i = nextAssignment(i);
    }
  }

  /** Behind the comma at this level; the number of tokens when the list ends before. */
  private int nextAssignment(int from) {
    int i = from;
    while (i < pieces.length && !tokens.isSymbol(i, ",")) {
      int here = i;
      if (tokens.isSymbol(i, ")") || ENDS_SET.stream().anyMatch(w -> clauses.isKeyword(here, w))) {
        return pieces.length;
      }
      i = clauses.behind(i);
    }
    return i + 1;
  }

  /** A list of columns in parentheses. */
  private void columns(int open) {
    int close = clauses.close(open);
    for (int i = open + 1; i < close; i++) {
      if (tokens.isSymbol(i - 1, "(") || tokens.isSymbol(i - 1, ",")) {
        parts(i);
      }
      i = clauses.behind(i) - 1;
    }
  }

  /** What stands behind a column's name: {@code [1].f}. */
  private void parts(int name) {
    int i = name + 1;
    while (tokens.isSymbol(i, ".") || tokens.isSymbol(i, "[")) {
      int end = tokens.isSymbol(i, ".") ? Math.min(i + 2, pieces.length) : clauses.behind(i);
      Arrays.fill(pieces, i, end, "");
      i = end;
    }
  }

  /** For each token the innermost parenthesis or bracket that it stands in; -1 for none. */
  private static int[] openers(Tokens tokens) {
    int[] openers = new int[tokens.size()];
    ArrayDeque<Integer> open = new ArrayDeque<>(List.of(-1));
    for (int i = 0; i < openers.length; i++) {
      if (open.size() > 1 && (tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]"))) {
        open.pop();
      }
      openers[i] = open.element();
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        open.push(i);
      }
    }
    return openers;
  }
}
