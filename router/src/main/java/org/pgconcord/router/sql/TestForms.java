package org.pgconcord.router.sql;

import java.util.Arrays;

/**
 * IS and its kin, which bind less than comparisons do: {@code a = b IS NULL} is {@code (a = b) IS
 * NULL}, and so it is written for the parser. Tokens tell that such a comparison is no condition to
 * go by: what stands behind it is no AND.
 */
final class TestForms {
  private final Tokens tokens;
  private final Clauses clauses;
  private final String[] pieces;

  TestForms(Tokens tokens, Clauses clauses, String[] pieces) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.pieces = pieces;
  }

  /** {@code a = b IS NULL} tests the comparison, which stands in front of it unmarked. */
  void is(int i) {
    boolean distinct =
        tokens.isWord(i + 1, "distinct")
            || (tokens.isWord(i + 1, "not") && tokens.isWord(i + 2, "distinct"));
    kind(i);
    int from = tested(i);
    if (clauses.compares(from, i)) {
      pieces[from] = "(" + pieces[from];
      pieces[i] = ") " + pieces[i];
    }
    if (!distinct) {
      int behind = tokens.isWord(i + 1, "not") ? i + 3 : i + 2;
      if (tokens.isAnyWord(behind - 1, "null", "true", "false", "unknown")
          && clauses.isComparison(behind)) {
        pieces[from] = "(" + pieces[from];
        pieces[behind - 1] = pieces[behind - 1] + ")";
      }
    }
  }

  /** {@code IS JSON ARRAY WITH UNIQUE KEYS} and its kin ask about one value, as IS NULL does. */
  private void kind(int is) {
    int first = tokens.isWord(is + 1, "not") ? is + 2 : is + 1;
    int end = first;
    if (tokens.isWord(end, "json")) {
      end += tokens.isAnyWord(end + 1, "value", "scalar", "array", "object") ? 2 : 1;
      if (tokens.isAnyWord(end, "with", "without") && tokens.isWord(end + 1, "unique")) {
        end += tokens.isWord(end + 2, "keys") ? 3 : 2;
      }
    } else if (tokens.isWord(end, "document") || tokens.isWord(end, "normalized")) {
      end++;
    } else if (tokens.isWord(end + 1, "normalized")) {
      end += 2;
    }
    if (end > first) {
      Arrays.fill(pieces, first, end, "");
      pieces[first] = "NULL";
    }
  }

  /** Where the operand of IS begins; an assignment's {@code =} is no comparison. */
  private int tested(int is) {
    int from = clauses.operandStart(is);
    int set = clauses.leftwards(from, "set");
    boolean assigned =
        set >= 0
            && clauses.leftwards(from, "where") < set
            && clauses.leftwards(from, "from") < set
            && (from == set + 1 || tokens.isSymbol(from - 1, ","));
    for (int i = from; assigned && i < is; i = clauses.behind(i)) {
      if (tokens.isSymbol(i, "=")) {
        return i + 1;
      }
    }
    return from;
  }

  void postfix(int i) {
    int from = tested(i);
    if (clauses.compares(from, i)) {
      pieces[from] = "(" + pieces[from];
      pieces[i] = tokens.isWord(i, "isnull") ? ") IS NULL" : ") IS NOT NULL";
    }
  }
}
