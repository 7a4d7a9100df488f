package org.pgconcord.router.analyse;

import org.pgconcord.router.sql.Tokens;

/**
 * {@code ROLLUP (...)} and {@code CUBE (...)}, which are no reserved words: they are grammar where
 * they begin an element of GROUP BY or of GROUPING SETS, and a function's name anywhere else, in
 * the lists within them too (PostgreSQL's grammar, group_by_item).
 */
final class GroupingElements {
  private GroupingElements() {}

  /** Whether the word at the token, a parenthesis behind it, begins such an element. */
  static boolean isOne(Tokens tokens, int token) {
    if (!tokens.isAnyWord(token, "rollup", "cube")) {
      return false;
    }
    int i = token - 1;
    if (!tokens.isSymbol(i, ",")) {
      return begins(tokens, i);
    }
    while (i >= 0 && !begins(tokens, i)) {
      if (tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]")) {
        i = opening(tokens, i);
      } else if (ends(tokens, i)) {
        return false;
      }
      i--;
    }
    return i >= 0;
  }

  /** A list of such elements begins behind it. */
  private static boolean begins(Tokens tokens, int i) {
    boolean by = tokens.isWord(i, "by") && tokens.isWord(i - 1, "group");
    boolean each =
        tokens.isAnyWord(i, "all", "distinct")
            && tokens.isWord(i - 1, "by")
            && tokens.isWord(i - 2, "group");
    return by || each || isSets(tokens, i);
  }

  private static boolean isSets(Tokens tokens, int open) {
    return tokens.isSymbol(open, "(")
        && tokens.isWord(open - 1, "sets")
        && tokens.isWord(open - 2, "grouping");
  }

  /** No list of a GROUP BY goes on over it. */
  private static boolean ends(Tokens tokens, int i) {
    return tokens.isSymbol(i, "(")
        || tokens.isSymbol(i, "[")
        || tokens.isSymbol(i, ";")
        || tokens.isAnyWord(
            i, "by", "from", "having", "returning", "select", "set", "values", "where", "window");
  }

  private static int opening(Tokens tokens, int close) {
    int depth = 0;
    for (int i = close; i >= 0; i--) {
      if (tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]")) {
        depth++;
      } else if ((tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) && --depth == 0) {
        return i;
      }
    }
    return -1;
  }
}
