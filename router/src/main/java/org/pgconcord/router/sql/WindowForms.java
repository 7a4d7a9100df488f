package org.pgconcord.router.sql;

/**
 * Windows that are made of others: {@code OVER (w ORDER BY a)} and {@code WINDOW v AS (w ORDER BY
 * a)}. The parser reads them without the other's name; who asks for the PARTITION BY of a window
 * looks at the client's own tokens.
 */
final class WindowForms {
  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;

  WindowForms(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
  }

  void over(int over) {
    base(over + 1);
  }

  void definitions(int window) {
    int name = window + 1;
    while (tokens.isWord(name + 1, "as") && clauses.close(name + 2) > 0) {
      base(name + 2);
      int end = clauses.close(name + 2);
      if (!tokens.isSymbol(end + 1, ",")) {
        return;
      }
      name = end + 2;
    }
  }

  private void base(int open) {
    int name = open + 1;
    if (clauses.close(open) > name
        && tokens.kind(name).isName()
        && !tokens.isAnyWord(name, "partition", "order", "range", "rows", "groups")) {
      pieces[name] = "";
    }
  }
}
