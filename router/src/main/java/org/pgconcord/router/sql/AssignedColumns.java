package org.pgconcord.router.sql;

import java.util.Arrays;
import java.util.Set;

/** The columns that INSERT and UPDATE name, without the subscripts and fields behind them. */
final class AssignedColumns {
  private static final Set<String> ENDS_SET = Set.of("where", "from", "returning", "when");

  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;

  AssignedColumns(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
  }

  /** The list of an INSERT: elements and fields of a column are assignments to the column. */
  void inserted(int into) {
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
  void assigned(int set) {
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
}
