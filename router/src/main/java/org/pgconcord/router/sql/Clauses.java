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

  private final Brackets brackets;

  public Clauses(Tokens tokens) {
    this.tokens = tokens;
    this.brackets = new Brackets(tokens);
  }

  /** True when the token is this keyword and not a label or a field of that name. */
  public boolean isKeyword(int token, String word) {
    return tokens.isWord(token, word) && !isLabel(token);
  }

  boolean isKeyword(int token, Set<String> words) {
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

  /** The joins of its FROM clauses. */
  public Joins joins() {
    return new Joins(tokens, this);
  }

  /** The parenthesis that matches the one at {@code open}; -2 when there is none. */
  public int close(int open) {
    return open < tokens.size() && tokens.isSymbol(open, "(") && partner(open) > open
        ? partner(open)
        : -2;
  }

  /** The next token at the level of {@code token}: behind what it opens, if it opens something. */
  int behind(int token) {
    return brackets.behind(token);
  }

  /** The token in front at the level of {@code token}: in front of what it closes, if anything. */
  int before(int token) {
    return brackets.before(token);
  }

  /** The nearest such keyword to the left of {@code token} at its level; -1 if there is none. */
  int leftwards(int token, String keyword) {
    int i = token - 1;
    while (i >= 0 && !isKeyword(i, keyword)) {
      if (tokens.isSymbol(i, "(") || tokens.isSymbol(i, "[")) {
        return -1;
      }
      i = before(i);
    }
    return i;
  }

  /** The parentheses that a token stands in, without them; all tokens where it stands in none. */
  public Range around(int token) {
    int i = token - 1;
    while (i >= 0) {
      if (tokens.isSymbol(i, "(") && partner(i) > token) {
        return new Range(i + 1, partner(i));
      }
      i = before(i);
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
    return items(new Range(from, to)).stream().filter(r -> r.to() > r.from()).toList();
  }

  /** Leftwards from behind an operand of IS: where that begins, comparisons in it included. */
  int operandStart(int end) {
    int i = end - 1;
    while (i >= 0
        && !tokens.isSymbol(i, "(")
        && !tokens.isSymbol(i, "[")
        && !tokens.isSymbol(i, ",")
        && (!isKeyword(i, Keywords.BEFORE_TEST) || isNegation(i))) {
      i = before(i);
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
  public record Range(int from, int to) {
    /** The same tokens, counted from so many tokens before. */
    public Range shifted(int by) {
      return new Range(from + by, to + by);
    }

    public boolean holds(int token) {
      return from <= token && token < to;
    }
  }

  /** The operators between the arms of a set operation. */
  private static final Set<String> SET_OPERATORS = Set.of("union", "intersect", "except");

  private static final Set<String> BEHIND_ARMS =
      Set.of("union", "intersect", "except", "order", "limit", "offset", "fetch", "for");

  /**
   * The SELECT that a token belongs to, without a WITH in front of it; an arm of a set operation
   * without what stands behind all of its arms. Empty where that cannot be told from the tokens.
   */
  public Optional<Range> block(int token) {
    int select = leftwards(token, "select");
    if (select < 0) {
      return Optional.empty();
    }
    Range around = around(token);
    boolean arms = next(around, SET_OPERATORS) < around.to;
    int end = next(new Range(select + 1, around.to), arms ? BEHIND_ARMS : SET_OPERATORS);
    return Optional.of(new Range(select, end));
  }

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
      i = behind(i);
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
      i = behind(i);
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
      i = behind(i);
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

  /** The subqueries in a range, each without its parentheses; not those within another. */
  public List<Range> subqueries(Range range) {
    List<Range> found = new ArrayList<>();
    for (int i = range.from; i < range.to; i++) {
      if (tokens.isSymbol(i, "(")
          && partner(i) > i
          && tokens.isAnyWord(i + 1, "select", "with", "values", "table")) {
        found.add(new Range(i + 1, partner(i)));
        i = partner(i);
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
    for (int i = list.from; i < list.to; i = behind(i)) {
      if (tokens.isSymbol(i, ",")) {
        items.add(new Range(from, i));
        from = i + 1;
      }
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

  /** The first such keyword at the level of a range; -1 if there is none. */
  public int topLevelWithin(Range range, String word) {
    int i = next(range, word);
    return i < range.to ? i : -1;
  }

  /** The parenthesis or bracket that matches the one at {@code token}; -1 without one. */
  public int partner(int token) {
    return brackets.partner(token);
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

  /** The join keywords can be names of functions, as {@code left} is. */
  boolean endsOn(int token) {
    return isKeyword(token, Keywords.AFTER_ON)
        && (tokens.isWord(token, "join") || !tokens.isSymbol(token + 1, "("));
  }

  /** Whether a BETWEEN stands between this AND and the one before it. */
  boolean closesBetween(int and) {
    int i = and - 1;
    while (i >= 0 && !tokens.isSymbol(i, "(") && !tokens.isAnyWord(i, "and", "where", "on")) {
      if (tokens.isWord(i, "between")) {
        return true;
      }
      i = before(i);
    }
    return false;
  }

  /** Rightwards at one level to what ends the condition. */
  private int levelEnd(int from) {
    int i = from;
    while (i < tokens.size()
        && !tokens.isSymbol(i, ")")
        && !isKeyword(i, Keywords.AFTER_WHERE)
        && !endsOn(i)) {
      i = behind(i);
    }
    return i;
  }

  boolean hasOr(int from, int to) {
    int i = from;
    while (i < to) {
      if (tokens.isWord(i, "or")) {
        return true;
      }
      i = behind(i);
    }
    return false;
  }
}
