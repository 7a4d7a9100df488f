package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Finds clauses by their tokens, independently of any parser. The words it looks for are reserved
 * in PostgreSQL, so that unquoted they are keywords everywhere but behind {@code AS} or a dot,
 * where any word can be a name.
 */
public final class Clauses {
  private final Tokens tokens;

  /** For each token the index of the matching parenthesis or bracket, or -1. */
  private final int[] partners;

  /** What conjuncts are looked for in: one alternative of an OR, or all there is. */
  private final Range whole;

  public Clauses(Tokens tokens) {
    this(tokens, match(tokens), new Range(0, tokens.size()));
  }

  private Clauses(Tokens tokens, int[] partners, Range whole) {
    this.tokens = tokens;
    this.partners = partners;
    this.whole = whole;
  }

  /** The same tokens, where {@link #isConjunct} asks for the operands of this AND chain alone. */
  Clauses within(Range alternative) {
    return new Clauses(tokens, partners, alternative);
  }

  private static int[] match(Tokens tokens) {
    int[] partners = new int[tokens.size()];
    java.util.Arrays.fill(partners, -1);
    java.util.ArrayDeque<Integer> open = new java.util.ArrayDeque<>();
    for (int i = 0; i < partners.length; i++) {
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        open.push(i);
      } else if ((tokens.isSymbol(i, ")") || tokens.isSymbol(i, "]")) && !open.isEmpty()) {
        int from = open.pop();
        partners[from] = i;
        partners[i] = from;
      }
    }
    return partners;
  }

  /** True when the token is this keyword and not a label or a field of that name. */
  public boolean isKeyword(int token, String word) {
    return tokens.isWord(token, word) && !isLabel(token);
  }

  private boolean isKeyword(int token, Set<String> words) {
    return token < tokens.size()
        && tokens.kind(token) == TokenKind.WORD
        && words.contains(tokens.text(token).toLowerCase(Locale.ROOT))
        && !isLabel(token);
  }

  boolean isLabel(int token) {
    return tokens.isWord(token - 1, "as") || tokens.isSymbol(token - 1, ".");
  }

  /** True when any of the keywords occurs anywhere. */
  public boolean has(String... words) {
    Set<String> wanted = Set.of(words);
    for (int i = 0; i < tokens.size(); i++) {
      if (isKeyword(i, wanted)) {
        return true;
      }
    }
    return false;
  }

  /** The parenthesis that matches the one at {@code open}; -2 when there is none. */
  public int close(int open) {
    return open < tokens.size() && tokens.isSymbol(open, "(") && partners[open] > open
        ? partners[open]
        : -2;
  }

  /** The next token at the level of {@code token}: behind what it opens, if it opens something. */
  int behind(int token) {
    return partners[token] > token ? partners[token] + 1 : token + 1;
  }

  /** The nearest such keyword to the left of {@code token} at its level; -1 if there is none. */
  int leftwards(int token, String keyword) {
    int i = token - 1;
    while (i >= 0 && !isKeyword(i, keyword)) {
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        return -1;
      }
      i = partners[i] >= 0 && partners[i] < i ? partners[i] - 1 : i - 1;
    }
    return i;
  }

  /** The parentheses that a token stands in, without them; all tokens where it stands in none. */
  public Range around(int token) {
    int i = token - 1;
    while (i >= 0) {
      if (tokens.isSymbol(i, "(") && partners[i] > token) {
        return new Range(i + 1, partners[i]);
      }
      i = partners[i] >= 0 && partners[i] < i ? partners[i] - 1 : i - 1;
    }
    return new Range(0, tokens.size());
  }

  /** Where a list that begins at {@code from} ends: at a reserved word or a parenthesis. */
  int listEnd(int from) {
    int i = from;
    while (i < tokens.size() && !tokens.isSymbol(i, ")")) {
      boolean ends =
          isKeyword(i, Keywords.AFTER_LIST)
              && !tokens.isAnyWord(i - 1, "distinct", "within", "collation");
      if (ends || (tokens.isWord(i, "on") && tokens.isWord(i + 1, "conflict"))) {
        return i;
      }
      i = behind(i);
    }
    return i;
  }

  /** True when any of the keywords stands behind {@code token} at its level. */
  boolean follows(int token, Set<String> words) {
    int i = Math.max(token, 0);
    while (i < tokens.size() && !tokens.isSymbol(i, ")")) {
      if (isKeyword(i, words)) {
        return true;
      }
      i = behind(i);
    }
    return false;
  }

  /** A list taken apart at its commas; an empty item is none. */
  List<Range> items(int from, int to) {
    List<Range> items = new ArrayList<>();
    int begin = from;
    for (int i = from; i < to; i = behind(i)) {
      if (tokens.isSymbol(i, ",")) {
        items.add(new Range(begin, i));
        begin = i + 1;
      }
    }
    items.add(new Range(begin, to));
    return items.stream().filter(r -> r.to() > r.from()).toList();
  }

  /** True when the range is joined relations and not an expression or a query. */
  boolean isJoin(int from, int to) {
    boolean join = false;
    for (int i = from; i < to; i = behind(i)) {
      if (isKeyword(i, "select") || isKeyword(i, "values")) {
        return false;
      }
      join |= isKeyword(i, "join");
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
    return isKeyword(first, "cross") || isKeyword(first, "natural");
  }

  /** Leftwards from behind an operand of IS: where that begins, comparisons in it included. */
  int operandStart(int end) {
    int i = end - 1;
    while (i >= 0
        && !tokens.isSymbol(i, "(")
        && !tokens.isSymbol(i, "[")
        && !tokens.isSymbol(i, ",")
        && (!isKeyword(i, Keywords.BEFORE_TEST) || isNegation(i))) {
      i = partners[i] >= 0 && partners[i] < i ? partners[i] - 1 : i - 1;
    }
    return i + 1;
  }

  /** {@code a NOT IN (b)} begins at a. */
  private boolean isNegation(int not) {
    return tokens.isWord(not, "not") && isKeyword(not + 1, Keywords.MATCHES);
  }

  /** Whether a comparison stands in the range at its own level, IN and LIKE among them. */
  boolean compares(int from, int to) {
    for (int i = from; i < to; i = behind(i)) {
      if (isComparison(i) || isKeyword(i, Keywords.MATCHES)) {
        return true;
      }
    }
    return false;
  }

  boolean isComparison(int token) {
    return token < tokens.size()
        && tokens.kind(token) == TokenKind.OPERATOR
        && Keywords.COMPARISONS.contains(tokens.text(token));
  }

  /** A clause that follows FROM begins. */
  boolean endsFrom(int token) {
    return isKeyword(token, Keywords.AFTER_WHERE) || isKeyword(token, "where");
  }

  /** How often the keyword occurs, at any level. */
  public int count(String word) {
    int count = 0;
    for (int i = 0; i < tokens.size(); i++) {
      count += isKeyword(i, word) ? 1 : 0;
    }
    return count;
  }

  /** A range of tokens, the end exclusive. */
  public record Range(int from, int to) {}

  /** The condition of the WHERE clause that is in no parentheses. */
  public Optional<Range> topLevelWhere() {
    int where = topLevel(0, Set.of("where"));
    if (where == tokens.size()) {
      return Optional.empty();
    }
    return Optional.of(new Range(where + 1, topLevel(where + 1, Keywords.AFTER_WHERE)));
  }

  /**
   * The condition of the WHERE clause that follows a FROM item at its own level; empty when there
   * is none, or when parentheses stand between.
   */
  public Optional<Range> whereBehind(int token) {
    int i = token;
    while (i < tokens.size() && !tokens.isSymbol(i, ")") && !isKeyword(i, Keywords.AFTER_WHERE)) {
      if (isKeyword(i, "select")) {
        return Optional.empty();
      } else if (isKeyword(i, "where")) {
        return Optional.of(new Range(i + 1, levelEnd(i + 1)));
      }
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    return Optional.empty();
  }

  /** The list of the GROUP BY that follows a FROM item at its own level. */
  public Optional<Range> groupBehind(int token) {
    int i = token;
    while (i < tokens.size() && !tokens.isSymbol(i, ")") && !isKeyword(i, "select")) {
      if (isKeyword(i, "group")) {
        return Optional.of(new Range(i + 2, levelEnd(i + 2)));
      }
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    return Optional.empty();
  }

  /** The operands of the AND chain that a condition is; itself when OR joins anything in it. */
  public List<Range> conjuncts(Range condition) {
    if (hasOr(condition.from, condition.to)) {
      return List.of(condition);
    }
    List<Range> conjuncts = new ArrayList<>();
    int from = condition.from;
    int cases = 0;
    int i = condition.from;
    while (i < condition.to) {
      if (isKeyword(i, "case")) {
        cases++;
      } else if (isKeyword(i, "end")) {
        cases--;
      } else if (cases == 0 && isKeyword(i, "and") && !closesBetween(i)) {
        conjuncts.add(new Range(from, i));
        from = i + 1;
      }
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    conjuncts.add(new Range(from, condition.to));
    return conjuncts;
  }

  /** What is between the FROM that is in no parentheses and the end of the WHERE clause. */
  public Optional<Range> topLevelSource() {
    int from = topLevel(0, Set.of("from"));
    return from == tokens.size()
        ? Optional.empty()
        : Optional.of(new Range(from + 1, topLevel(from + 1, Keywords.AFTER_WHERE)));
  }

  /**
   * The ON conditions of the FROM clause that a table is named in, where all of its joins are inner
   * ones and none is in parentheses; else none.
   */
  public List<Range> innerJoinConditions(int table) {
    int from = leftwards(table, "from");
    while (tokens.isWord(from - 1, "distinct")) {
      from = leftwards(from, "from");
    }
    List<Range> found = new ArrayList<>();
    for (int i = from + 1; from >= 0 && i < tokens.size() && !tokens.isSymbol(i, ")"); ) {
      boolean outer = isKeyword(i, OUTER_JOINS) && !tokens.isSymbol(i + 1, "(");
      boolean joinInside = partners[i] > i && hasJoin(i + 1, partners[i]);
      if (outer || joinInside || isKeyword(i, Keywords.AFTER_WHERE) || isKeyword(i, "where")) {
        return outer || joinInside ? List.of() : found;
      } else if (isKeyword(i, "on")) {
        int end = onEnd(i + 1);
        found.add(new Range(i + 1, end));
        i = end;
      } else {
        i = behind(i);
      }
    }
    return found;
  }

  private static final Set<String> OUTER_JOINS =
      Set.of("left", "right", "full", "natural", "using");

  private int onEnd(int from) {
    int i = from;
    while (i < tokens.size()
        && !tokens.isSymbol(i, ")")
        && !tokens.isSymbol(i, ",")
        && !isKeyword(i, Keywords.AFTER_WHERE)
        && !isKeyword(i, "where")
        && !endsOn(i)) {
      i = behind(i);
    }
    return i;
  }

  /** A join in parentheses that are no subquery's. */
  private boolean hasJoin(int from, int to) {
    if (tokens.isAnyWord(from, "select", "with", "values", "table")) {
      return false;
    }
    for (int i = from; i < to; i = behind(i)) {
      if (isKeyword(i, "join") || (partners[i] > i && hasJoin(i + 1, partners[i]))) {
        return true;
      }
    }
    return false;
  }

  /** The subqueries in a range, each without its parentheses; not those within another. */
  public List<Range> subqueries(Range range) {
    List<Range> found = new ArrayList<>();
    for (int i = range.from; i < range.to; i++) {
      if (tokens.isSymbol(i, "(")
          && partners[i] > i
          && tokens.isAnyWord(i + 1, "select", "with", "values", "table")) {
        found.add(new Range(i + 1, partners[i]));
        i = partners[i];
      }
    }
    return found;
  }

  /** The subqueries, each without its parentheses; those within another are not listed. */
  public List<Range> subqueries() {
    return subqueries(new Range(0, tokens.size()));
  }

  /** True for a word of an expression's grammar, which is no column's name unless quoted. */
  public boolean isExpressionWord(int token) {
    return tokens.kind(token) == TokenKind.WORD
        && Keywords.IN_EXPRESSION.contains(tokens.text(token).toLowerCase(Locale.ROOT));
  }

  /** The items of a list that commas separate at its own level. */
  public List<Range> items(Range list) {
    List<Range> items = new ArrayList<>();
    int from = list.from;
    int i = list.from;
    while (i < list.to) {
      if (tokens.isSymbol(i, ",")) {
        items.add(new Range(from, i));
        from = i + 1;
      }
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    items.add(new Range(from, list.to));
    return items;
  }

  /**
   * The first of the keywords that is in no parentheses, from {@code from} on; the size if none.
   */
  public int topLevel(int from, String... words) {
    return topLevel(from, Set.of(words));
  }

  /** The parenthesis or bracket that matches the one at {@code token}; -1 without one. */
  public int partner(int token) {
    return token >= 0 && token < partners.length ? partners[token] : -1;
  }

  /** The SET of an UPDATE, which is in no parentheses. */
  public Optional<Integer> topLevelSet() {
    int set = topLevel(1, Set.of("set"));
    return set == tokens.size() ? Optional.empty() : Optional.of(set);
  }

  /**
   * The tables behind FROM of an UPDATE; empty without it.
   *
   * @param within the UPDATE, from SET on
   */
  public Optional<Range> updateFrom(Range within) {
    int from = next(within, "from");
    while (from < within.to && tokens.isWord(from - 1, "distinct")) {
      from = next(new Range(from + 1, within.to), "from");
    }
    return from >= within.to
        ? Optional.empty()
        : Optional.of(
            new Range(from + 1, next(new Range(from + 1, within.to), "where", "returning")));
  }

  /** The VALUES of an INSERT, which is in no parentheses. */
  public Optional<Integer> topLevelValues() {
    int values = topLevel(1, Set.of("values"));
    return values == tokens.size() ? Optional.empty() : Optional.of(values);
  }

  /** The items of the RETURNING clause that is in no parentheses. */
  public Optional<Range> topLevelReturning() {
    int returning = topLevel(0, Set.of("returning"));
    return returning == tokens.size()
        ? Optional.empty()
        : Optional.of(new Range(returning + 1, tokens.size()));
  }

  /** The first of the keywords at the outermost level from {@code from} on; the size if none. */
  private int topLevel(int from, Set<String> words) {
    return next(new Range(from, tokens.size()), words);
  }

  private int next(Range within, Set<String> words) {
    int i = within.from;
    while (i < within.to) {
      if (isKeyword(i, words)) {
        return i;
      }
      i = behind(i);
    }
    return within.to;
  }

  /** The first of the keywords at the level of a range, in it; its end if none. */
  public int next(Range within, String... words) {
    return next(within, Set.of(words));
  }

  /**
   * The condition of the WHERE clause at the level of a range.
   *
   * @param within an UPDATE or DELETE, from its target on
   */
  public Optional<Range> where(Range within) {
    int where = next(within, "where");
    return where == within.to
        ? Optional.empty()
        : Optional.of(
            new Range(where + 1, next(new Range(where + 1, within.to), Keywords.AFTER_WHERE)));
  }

  /**
   * Whether the predicate in the range is by itself one operand of the AND chain of a WHERE or ON
   * clause, so that no row passes the clause without it. Looks outward from the predicate: at each
   * level nothing but AND may join it to its neighbours, and parentheses around it may not be those
   * of a function or a NOT.
   */
  public boolean isConjunct(int from, int to) {
    boolean inside = from >= whole.from && to <= whole.to;
    if (!inside || !endsConjunct(to) || !startsConjunct(from - 1)) {
      return false;
    }
    int left = from - 1;
    int right = to;
    while (true) {
      int start = levelStart(left);
      if (start < 0 || hasOr(start + 1, levelEnd(right))) {
        return false;
      }
      if (isOutermost(start)) {
        return true;
      }
      int close = partners[start];
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
  List<Range> alternatives(int token) {
    int inner = token;
    while (true) {
      int start = levelStart(inner - 1);
      if (start < 0) {
        return List.of();
      }
      int end = levelEnd(inner);
      if (hasOr(start + 1, end)) {
        boolean conjunct =
            isOutermost(start) || (partners[start] == end && isConjunct(start, end + 1));
        return conjunct ? split(start + 1, end) : List.of();
      }
      if (isOutermost(start)) {
        return List.of();
      }
      inner = start;
    }
  }

  private List<Range> split(int from, int to) {
    List<Range> alternatives = new ArrayList<>();
    int begin = from;
    for (int i = from; i < to; i = behind(i)) {
      if (tokens.isWord(i, "or")) {
        alternatives.add(new Range(begin, i));
        begin = i + 1;
      }
    }
    alternatives.add(new Range(begin, to));
    return alternatives;
  }

  /** Nothing around the level that begins here can change what its conditions mean. */
  private boolean isOutermost(int start) {
    return isFront(start) || !tokens.isSymbol(start, "(");
  }

  /** The token in front of an alternative: WHERE, ON, OR or a parenthesis. */
  private boolean isFront(int token) {
    return whole.from > 0 && token == whole.from - 1;
  }

  /** The token in front of a conjunct: AND that is no BETWEEN's, WHERE, ON or a parenthesis. */
  private boolean startsConjunct(int token) {
    if (token < 0 || isLabel(token)) {
      return false;
    }
    if (isFront(token)) {
      return true;
    }
    return tokens.isAnyWord(token, "where", "on")
        || tokens.isSymbol(token, "(")
        || (tokens.isWord(token, "and") && !closesBetween(token));
  }

  private boolean endsConjunct(int token) {
    return token == whole.to
        || tokens.isSymbol(token, ")")
        || tokens.isSymbol(token, ",")
        || tokens.isWord(token, "and")
        || isKeyword(token, Keywords.AFTER_WHERE)
        || endsOn(token);
  }

  /** The join keywords can be names of functions, as {@code left} is. */
  private boolean endsOn(int token) {
    return isKeyword(token, Keywords.AFTER_ON)
        && (tokens.isWord(token, "join") || !tokens.isSymbol(token + 1, "("));
  }

  /** Whether a BETWEEN stands between this AND and the one before it. */
  private boolean closesBetween(int and) {
    int i = and - 1;
    while (i >= 0 && !tokens.isSymbol(i, "(") && !tokens.isAnyWord(i, "and", "where", "on")) {
      if (tokens.isWord(i, "between")) {
        return true;
      }
      i = partners[i] >= 0 && partners[i] < i ? partners[i] - 1 : i - 1;
    }
    return false;
  }

  /** Leftwards at one level to the WHERE, ON or opening parenthesis that begins it; -1 if none. */
  private int levelStart(int from) {
    int i = from;
    while (i >= 0) {
      if (isFront(i)
          || tokens.isSymbol(i, "(")
          || (tokens.isAnyWord(i, "where", "on") && !isLabel(i))) {
        return i;
      }
      if (tokens.isAnyWord(i, "case", "when", "then", "else", "select")
          || isKeyword(i, Keywords.AFTER_WHERE)) {
        return -1;
      }
      i = partners[i] >= 0 && partners[i] < i ? partners[i] - 1 : i - 1;
    }
    return -1;
  }

  /** Rightwards at one level to what ends the condition. */
  private int levelEnd(int from) {
    int i = from;
    while (i < whole.to
        && !tokens.isSymbol(i, ")")
        && !isKeyword(i, Keywords.AFTER_WHERE)
        && !endsOn(i)) {
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    return i;
  }

  private boolean hasOr(int from, int to) {
    int i = from;
    while (i < to) {
      if (tokens.isWord(i, "or")) {
        return true;
      }
      i = partners[i] > i ? partners[i] + 1 : i + 1;
    }
    return false;
  }
}
