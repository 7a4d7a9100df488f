package org.pgconcord.router.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Joins whose conditions come late: {@code a LEFT JOIN b JOIN c ON x ON y}. Each ON or USING
 * belongs to the innermost JOIN that has none yet, and what stands between a JOIN and its own
 * condition is its right side. Parentheses around right sides that are joins say the same.
 */
final class NestedJoins {
  private final Tokens tokens;
  private final Clauses clauses;
  private final List<SqlReplacement> found = new ArrayList<>();

  NestedJoins(Tokens tokens, Clauses clauses) {
    this.tokens = tokens;
    this.clauses = clauses;
  }

  /** The parentheses that are missing; none where the conditions do not fit the joins. */
  List<SqlReplacement> parentheses() {
    for (int i = 0; i < tokens.size(); i++) {
      boolean clause =
          clauses.isKeyword(i, "from") && !tokens.isAnyWord(i - 1, "distinct", "delete");
      boolean inner = tokens.isSymbol(i, "(") && clauses.joins().isJoin(i + 1, clauses.close(i));
      if (clause || inner || isUsingOfDelete(i)) {
        list(i + 1);
      }
    }
    return found;
  }

  private boolean isUsingOfDelete(int i) {
    int delete = clauses.leftwards(i, "delete");
    return clauses.isKeyword(i, "using") && delete >= 0 && clauses.leftwards(i, "using") < delete;
  }

  /** Joins at one level, from behind FROM or a parenthesis to the end of the FROM clause. */
  private void list(int from) {
    Deque<Integer> open = new ArrayDeque<>();
    Deque<Boolean> joined = new ArrayDeque<>();
    List<SqlReplacement> here = new ArrayList<>();
    int i = from;
    while (i < tokens.size() && !tokens.isSymbol(i, ")") && !clauses.endsFrom(i)) {
      if (tokens.isSymbol(i, ",") && !open.isEmpty()) {
        return;
      }
      if (clauses.isKeyword(i, "join")) {
        if (!joined.isEmpty()) {
          joined.pop();
          joined.push(true);
        }
        if (!clauses.joins().isUnconditional(i)) {
          open.push(i + 1);
          joined.push(false);
        }
      } else if (!open.isEmpty() && isCondition(i)) {
        int right = open.pop();
        if (joined.pop()) {
          here.add(new SqlReplacement(right, right, " ("));
          here.add(new SqlReplacement(i, i, ")"));
        }
      }
      i = clauses.behind(i);
    }
    if (open.isEmpty()) {
      found.addAll(here);
    }
  }

  private boolean isCondition(int i) {
    return clauses.isKeyword(i, "on") || clauses.isKeyword(i, "using");
  }
}
