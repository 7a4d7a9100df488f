package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * Which predicates are operands of the AND chain of a WHERE or ON clause, so that no row passes the
 * clause without them: told by the tokens around them, independently of any parser.
 */
public final class Conjunction {
  private final Tokens tokens;
  private final Clauses clauses;

  /** What conjuncts are looked for in: one alternative of an OR, or all there is. */
  private final Clauses.Range whole;

  public Conjunction(Tokens tokens, Clauses clauses) {
    this(tokens, clauses, new Clauses.Range(0, tokens.size()));
  }

  private Conjunction(Tokens tokens, Clauses clauses, Clauses.Range whole) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.whole = whole;
  }

  /** The same tokens, where {@link #isConjunct} asks for the operands of this AND chain alone. */
  Conjunction within(Clauses.Range alternative) {
    return new Conjunction(tokens, clauses, alternative);
  }

  /**
   * Whether the predicate in the range is by itself one operand of the AND chain of a WHERE or ON
   * clause, so that no row passes the clause without it. Looks outward from the predicate: at each
   * level nothing but AND may join it to its neighbours, and parentheses around it may not be those
   * of a function or a NOT.
   */
  public boolean isConjunct(int from, int to) {
    boolean inside = from >= whole.from() && to <= whole.to();
    if (!inside || !endsConjunct(to) || !startsConjunct(from - 1)) {
      return false;
    }
    int left = from - 1;
    int right = to;
    while (true) {
      int start = levelStart(left);
      if (start < 0 || clauses.hasOr(start + 1, levelEnd(right))) {
        return false;
      }
      if (isOutermost(start)) {
        return true;
      }
      int close = clauses.partner(start);
      if (close < 0 || !startsConjunct(start - 1) || !endsConjunct(close + 1)) {
        return false;
      }
      left = start - 1;
      right = close + 1;
    }
  }

  /**
   * The alternatives of the innermost OR that the token is in, if that is by itself one operand of
   * the AND chain; empty if not.
   */
  List<Clauses.Range> alternatives(int token) {
    int inner = token;
    while (true) {
      int start = levelStart(inner - 1);
      if (start < 0) {
        return List.of();
      }
      int end = levelEnd(inner);
      if (clauses.hasOr(start + 1, end)) {
        boolean conjunct =
            isOutermost(start) || (clauses.partner(start) == end && isConjunct(start, end + 1));
        return conjunct ? split(start + 1, end) : List.of();
      }
      if (isOutermost(start)) {
        return List.of();
      }
      inner = start;
    }
  }

  private List<Clauses.Range> split(int from, int to) {
    List<Clauses.Range> alternatives = new ArrayList<>();
    int begin = from;
    for (int i = from; i < to; i = clauses.behind(i)) {
      if (tokens.isWord(i, "or")) {
        alternatives.add(new Clauses.Range(begin, i));
        begin = i + 1;
      }
    }
    alternatives.add(new Clauses.Range(begin, to));
    return alternatives;
  }

  /** Nothing around the level that begins here can change what its conditions mean. */
  private boolean isOutermost(int start) {
    return isFront(start) || !tokens.isSymbol(start, "(");
  }

  /** The token in front of an alternative: WHERE, ON, OR or a parenthesis. */
  private boolean isFront(int token) {
    return whole.from() > 0 && token == whole.from() - 1;
  }

  /** The token in front of a conjunct: AND that is no BETWEEN's, WHERE, ON or a parenthesis. */
  private boolean startsConjunct(int token) {
    if (token < 0 || clauses.isLabel(token)) {
      return false;
    }
    if (isFront(token)) {
      return true;
    }
    return tokens.isAnyWord(token, "where", "on")
        || tokens.isSymbol(token, "(")
        || (tokens.isWord(token, "and") && !clauses.closesBetween(token));
  }

  private boolean endsConjunct(int token) {
    return token == whole.to()
        || tokens.isSymbol(token, ")")
        || tokens.isSymbol(token, ",")
        || tokens.isWord(token, "and")
        || clauses.isKeyword(token, Keywords.AFTER_WHERE)
        || clauses.endsOn(token);
  }

  /** Leftwards at one level to the WHERE, ON or opening parenthesis that begins it; -1 if none. */
  private int levelStart(int from) {
    int i = from;
    while (i >= 0) {
      if (isFront(i)
          || tokens.isSymbol(i, "(")
          || (tokens.isAnyWord(i, "where", "on") && !clauses.isLabel(i))) {
        return i;
      }
      if (tokens.isAnyWord(i, "case", "when", "then", "else", "select")
          || clauses.isKeyword(i, Keywords.AFTER_WHERE)) {
        return -1;
      }
      i = clauses.before(i);
    }
    return -1;
  }

  /** Rightwards at one level to what ends the condition. */
  private int levelEnd(int from) {
    int i = from;
    while (i < whole.to()
        && !tokens.isSymbol(i, ")")
        && !clauses.isKeyword(i, Keywords.AFTER_WHERE)
        && !clauses.endsOn(i)) {
      i = clauses.behind(i);
    }
    return i;
  }
}
