package org.pgconcord.router.sql;

/**
 * Which {@code ;} ends a statement. Inside parentheses (CREATE RULE) and inside the body of a
 * function that is written between BEGIN ATOMIC and END none does; END also closes CASE there, so
 * that both are counted, as psql does it.
 */
final class SplitState {
  private final Tokens tokens;
  private int parentheses;
  private int bodies;

  SplitState(Tokens tokens) {
    this.tokens = tokens;
  }

  /** Takes the tokens in order; {@code first} is that of the current statement. */
  boolean ends(int token, int first) {
    if (tokens.isSymbol(token, "(")) {
      parentheses++;
    } else if (tokens.isSymbol(token, ")")) {
      parentheses = Math.max(0, parentheses - 1);
    } else if (tokens.isSymbol(token, ";")) {
      if (parentheses == 0 && bodies == 0) {
        return true;
      }
    } else if (tokens.isWord(first, "create") && isRoutine(first)) {
      body(token);
    }
    return false;
  }

  private void body(int token) {
    boolean opens =
        (tokens.isWord(token, "begin") && tokens.isWord(token + 1, "atomic"))
            || (bodies > 0 && tokens.isWord(token, "case"));
    if (opens) {
      bodies++;
    } else if (bodies > 0 && tokens.isWord(token, "end")) {
      bodies--;
    }
  }

  private boolean isRoutine(int first) {
    int kind = tokens.isWord(first + 1, "or") ? first + 3 : first + 1;
    return tokens.isAnyWord(kind, "function", "procedure");
  }
}
