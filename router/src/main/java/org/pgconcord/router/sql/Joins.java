package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The joins of a FROM clause, found by their tokens. */
public final class Joins {
  private static final Set<String> OUTER_JOINS =
      Set.of("left", "right", "full", "natural", "using");

  private final Tokens tokens;
  private final Clauses clauses;

  Joins(Tokens tokens, Clauses clauses) {
    this.tokens = tokens;
    this.clauses = clauses;
  }

  /** True when the range is joined relations and not an expression or a query. */
  boolean isJoin(int from, int to) {
    boolean join = false;
    for (int i = from; i < to; i = clauses.behind(i)) {
      if (clauses.isKeyword(i, "select") || clauses.isKeyword(i, "values")) {
        return false;
      }
      join |= clauses.isKeyword(i, "join");
    }
    return join;
  }

  /** CROSS JOIN and NATURAL JOIN have no condition of their own. */
  boolean isUnconditional(int join) {
    int first = join - 1;
    if (tokens.isWord(first, "outer")) {
      first--;
    }
    if (tokens.isAnyWord(first, "inner", "left", "right", "full")) {
      first--;
    }
    return clauses.isKeyword(first, "cross") || clauses.isKeyword(first, "natural");
  }

  /**
   * The ON conditions of the FROM clause that a table is named in, where all of its joins are inner
   * ones and none is in parentheses; else none.
   */
  public List<Clauses.Range> innerConditions(int table) {
    int from = clauses.leftwards(table, "from");
    while (tokens.isWord(from - 1, "distinct")) {
      from = clauses.leftwards(from, "from");
    }
    List<Clauses.Range> found = new ArrayList<>();
    for (int i = from + 1; from >= 0 && i < tokens.size() && !tokens.isSymbol(i, ")"); ) {
      boolean outer = clauses.isKeyword(i, OUTER_JOINS) && !tokens.isSymbol(i + 1, "(");
      boolean joinInside = clauses.partner(i) > i && hasJoin(i + 1, clauses.partner(i));
      if (outer
          || joinInside
          || clauses.isKeyword(i, Keywords.AFTER_WHERE)
          || clauses.isKeyword(i, "where")) {
        return outer || joinInside ? List.of() : found;
      } else if (clauses.isKeyword(i, "on")) {
        int end = onEnd(i + 1);
        found.add(new Clauses.Range(i + 1, end));
        i = end;
      } else {
        i = clauses.behind(i);
      }
    }
    return found;
  }

  private int onEnd(int from) {
    int i = from;
    while (i < tokens.size()
        && !tokens.isSymbol(i, ")")
        && !tokens.isSymbol(i, ",")
        && !clauses.isKeyword(i, Keywords.AFTER_WHERE)
        && !clauses.isKeyword(i, "where")
        && !clauses.endsOn(i)) {
      i = clauses.behind(i);
    }
    return i;
  }

  /** A join in parentheses that are no subquery's. */
  private boolean hasJoin(int from, int to) {
    if (tokens.isAnyWord(from, "select", "with", "values", "table")) {
      return false;
    }
    for (int i = from; i < to; i = clauses.behind(i)) {
      if (clauses.isKeyword(i, "join")
          || (clauses.partner(i) > i && hasJoin(i + 1, clauses.partner(i)))) {
        return true;
      }
    }
    return false;
  }
}
