package org.pgconcord.router.sql;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Forms of PostgreSQL's that JSqlParser cannot read, put into words that it can. What is left out
 * of the analysed text names no relation and holds no condition: a subquery in it would be missed
 * by the count of SELECTs, and the statement refused.
 */
final class PostgresForms {
  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;
  private final int[] openers;
  private final AssignedColumns assigned;
  private final TestForms tests;
  private final TableForms tables;
  private final WindowForms windows;

  PostgresForms(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
    this.openers = openers(tokens);
    this.assigned = new AssignedColumns(tokens, clauses, pieces);
    this.tests = new TestForms(tokens, clauses, pieces);
    this.tables = new TableForms(tokens, clauses, pieces);
    this.windows = new WindowForms(tokens, clauses, pieces);
  }

  /** Changes the pieces of the analysed text, one for each token. */
  void rewrite() {
    for (int i = 0; i < pieces.length; i++) {
      switch (tokens.kind(i)) {
        case WORD -> word(i);
        case PUNCTUATION -> slice(i);
        case OPERATOR -> {
          inherited(i);
          expanded(i);
          sign(i);
        }
        default -> {}
      }
    }
  }

  private void word(int i) {
    if (clauses.isLabel(i)) {
      return;
    }
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
      case "into" -> assigned.inserted(i);
      case "only" -> {
        if (isIdleOnly(tokens, i)) {
          pieces[i] = "";
        }
      }
      case "at" -> {
        if (tokens.isWord(i + 1, "local")) {
          Arrays.fill(pieces, i, i + 2, "");
        }
      }
      case "collate" -> collation(i);
      case "distinct" -> {
        if (isIdleDistinct(tokens, i)) {
          pieces[i] = "";
        }
      }
      case "from" -> {
        if (tokens.isSymbol(i - 1, "(") && tokens.isWord(i - 2, "trim")) {
          pieces[i] = "";
        }
      }
      case "inner" -> {
        if (tokens.isWord(i - 1, "natural")) {
          pieces[i] = "";
        }
      }
      case "similar", "escape" -> {
        if (tokens.isWord(openers[i] - 1, "substring")) {
          pieces[i] = ",";
        }
      }
      case "with", "without" -> zone(i);
      case "grouping" -> groupingSets(i);
      case "is" -> tests.is(i);
      case "isnull", "notnull" -> tests.postfix(i);
      case "select" -> emptyList(i);
      case "set" -> {
        if (!isCycles(i)) {
          assigned.assigned(i);
        }
      }
      case "tablesample" -> sample(i);
      case "over" -> windows.over(i);
      case "window" -> windows.definitions(i);
      case "xmltable" -> tables.xml(i);
      case "json_table" -> tables.json(i);
      case "using" -> {
        ordering(i);
        deleted(i);
        tables.joined(i);
      }
      case "variadic" -> pieces[i] = "";
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

  /** What says nothing to the parser that it would not conclude anyway. */
  static boolean isIdle(Tokens tokens, int i) {
    return isIdleAll(tokens, i)
        || isIdleDistinct(tokens, i)
        || isIdleOnly(tokens, i)
        || isIdleUsing(tokens, i);
  }

  /** {@code SELECT ALL a} and {@code count(ALL a)} say what holds without it. */
  private static boolean isIdleAll(Tokens tokens, int i) {
    return tokens.isWord(i, "all")
        && (tokens.isWord(i - 1, "select") || tokens.isSymbol(i - 1, "(") || isGrouped(tokens, i));
  }

  private static boolean isIdleDistinct(Tokens tokens, int i) {
    return tokens.isWord(i, "distinct") && isGrouped(tokens, i);
  }

  /** {@code GROUP BY DISTINCT} and {@code ALL} are about grouping sets that are the same. */
  private static boolean isGrouped(Tokens tokens, int i) {
    return tokens.isWord(i - 1, "by") && tokens.isWord(i - 2, "group");
  }

  /** {@code UPDATE ONLY t} and {@code DELETE FROM ONLY t}: the text that is sent keeps it. */
  private static boolean isIdleOnly(Tokens tokens, int i) {
    return tokens.isWord(i, "only")
        && (tokens.isWord(i - 1, "update")
            || (tokens.isWord(i - 1, "from") && tokens.isWord(i - 2, "delete")))
        && !tokens.isSymbol(i + 1, "(");
  }

  /** {@code ORDER BY a USING <}: the order is the server's affair. */
  private static boolean isIdleUsing(Tokens tokens, int i) {
    return tokens.isWord(i, "using")
        && i + 1 < tokens.size()
        && (tokens.kind(i + 1) == TokenKind.OPERATOR || tokens.isWord(i + 1, "operator"));
  }

  /**
   * {@code CYCLE a SET b USING c} behind a CTE, where the main statement follows without a comma.
   */
  private boolean isCycles(int set) {
    int cycle = clauses.leftwards(set, "cycle");
    return cycle >= 0 && !tokens.isAnyWord(cycle - 1, "update", "only");
  }

  private void ordering(int i) {
    if (isIdleUsing(tokens, i)) {
      int end = tokens.isWord(i + 1, "operator") ? clauses.close(i + 2) : i + 1;
      Arrays.fill(pieces, i, Math.max(i + 1, end + 1), "");
    }
  }

  /** {@code DELETE FROM t USING a JOIN b ON x}: each join in parentheses. */
  private void deleted(int using) {
    int delete = clauses.leftwards(using, "delete");
    if (delete < 0 || clauses.leftwards(using, "using") > delete) {
      return;
    }
    int end = using + 1;
    while (end < pieces.length && !tokens.isSymbol(end, ")") && !clauses.endsFrom(end)) {
      end = clauses.behind(end);
    }
    for (Clauses.Range item : clauses.items(using + 1, end)) {
      boolean join = false;
      for (int i = item.from(); i < item.to(); i = clauses.behind(i)) {
        join |= clauses.isKeyword(i, "join");
      }
      if (join) {
        pieces[item.from()] = "(" + pieces[item.from()];
        pieces[item.to() - 1] = pieces[item.to() - 1] + ")";
      }
    }
  }

  /** A text of another collation is no constant and no column, but a text that is made of it. */
  private void collation(int i) {
    int end = i + 1;
    while (tokens.isSymbol(end + 1, ".")) {
      end += 2;
    }
    if (end < pieces.length && tokens.kind(end).isName()) {
      Arrays.fill(pieces, i, end + 1, "");
      pieces[i] = "|| 0";
    }
  }

  /** {@code SELECT FROM t} and {@code SELECT WHERE x} have no columns. */
  private void emptyList(int i) {
    boolean empty =
        i + 1 == pieces.length
            || tokens.isSymbol(i + 1, ")")
            || tokens.isAnyWord(i + 1, "from", "where", "order", "limit", "union", "group");
    if (empty && clauses.isKeyword(i, "select")) {
      pieces[i] = "select 0";
    }
  }

  /** Several GROUPING SETS, or some within others: as a function of what they hold. */
  private void groupingSets(int i) {
    int open = i + 2;
    int close = tokens.isWord(i + 1, "sets") ? clauses.close(open) : -1;
    if (close < 0) {
      return;
    }
    pieces[i] = "grouping_sets";
    pieces[i + 1] = "";
    for (int inner = open; inner < close; inner++) {
      if (tokens.isSymbol(inner, "(") && tokens.isSymbol(inner + 1, ")")) {
        pieces[inner] = "(0";
      }
    }
  }

  /** {@code timestamp(3) WITH TIME ZONE}, which is no constant's type to go by. */
  private void zone(int i) {
    boolean type =
        tokens.isWord(i + 1, "time")
            && tokens.isWord(i + 2, "zone")
            && tokens.isSymbol(i - 1, ")")
            && tokens.isAnyWord(clauses.partner(i - 1) - 1, "time", "timestamp");
    if (type) {
      Arrays.fill(pieces, i, i + 3, "");
    }
  }

  /** Any keyword is a name behind AS: {@code AS true}. In CAST a type stands there. */
  private void label(int i) {
    boolean name =
        i < pieces.length
            && !pieces[i - 1].isEmpty()
            && tokens.kind(i) == TokenKind.WORD
            && !tokens.isSymbol(i + 1, "(")
            && !tokens.isWord(i + 1, "materialized")
            && !tokens.isAnyWord(openers[i] - 1, "cast", "treat", "xmlserialize");
    if (name) {
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
            && tokens.isAnyWord(first - 1, "from", "join", "update")
            && !tokens.isWord(first - 2, "distinct")
            && !isCallsFrom(first - 1);
    if (table) {
      pieces[i] = "";
    }
  }

  /** {@code (t).*} is {@code t.*}: all columns of a row. */
  private void expanded(int i) {
    boolean whole =
        tokens.isSymbol(i, "*")
            && tokens.isSymbol(i - 1, ".")
            && tokens.isSymbol(i - 2, ")")
            && tokens.isSymbol(i - 4, "(")
            && tokens.kind(i - 3).isName()
            && (i == 4 || !tokens.kind(i - 5).isName() || tokens.isAnyWord(i - 5, "select", "all"));
    if (whole) {
      pieces[i - 4] = "";
      pieces[i - 2] = "";
    }
  }

  /** {@code extract(year FROM x)} and its kin. */
  private boolean isCallsFrom(int from) {
    return tokens.isAnyWord(
        openers[from] - 1, "extract", "substring", "trim", "overlay", "position");
  }

  /** Of several signs in a row each but the first, and one behind CASE, gets a zero to its left. */
  private void sign(int i) {
    boolean second =
        tokens.isSymbol(i - 1, "-") || tokens.isSymbol(i - 1, "+") || tokens.isWord(i - 1, "case");
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
