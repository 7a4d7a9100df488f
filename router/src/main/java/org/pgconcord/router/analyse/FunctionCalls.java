package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * The functions that a statement calls, found among its tokens rather than in a parser's tree: a
 * name in front of a parenthesis is a call unless that is ruled out. A name taken for a function by
 * mistake is an unknown function, which only makes a route narrower or a refusal more likely.
 */
public final class FunctionCalls {
  /** Words that no function can have as its name, or that are a known part of the grammar. */
  private static final Set<String> RESERVED =
      Set.of(
          "all",
          "and",
          "any",
          "array",
          "as",
          "asymmetric",
          "between",
          "case",
          "cast",
          "check",
          "coalesce",
          "collate",
          "default",
          "distinct",
          "do",
          "else",
          "end",
          "except",
          "exists",
          "extract",
          "fetch",
          "for",
          "from",
          "greatest",
          "group",
          "grouping",
          "having",
          "ilike",
          "in",
          "intersect",
          "into",
          "is",
          "isnull",
          "join",
          "lateral",
          "least",
          "like",
          "limit",
          "normalize",
          "not",
          "notnull",
          "nullif",
          "offset",
          "on",
          "only",
          "or",
          "order",
          "overlay",
          "position",
          "primary",
          "references",
          "returning",
          "row",
          "select",
          "similar",
          "some",
          "substring",
          "symmetric",
          "table",
          "then",
          "to",
          "treat",
          "trim",
          "union",
          "unique",
          "using",
          "values",
          "variadic",
          "when",
          "where",
          "window",
          "with");

  /** Words that can be a function's name, but are grammar behind one of the words listed. */
  private static final Map<String, Set<String>> PAIRS =
      Map.of(
          "by", Set.of("group", "order", "partition"),
          "conflict", Set.of("on"),
          "key", Set.of("primary", "foreign"),
          "materialized", Set.of("as", "not"),
          "operator", Set.of("using"),
          "sets", Set.of("grouping"));

  /** Words that can be a function's name, but are grammar right behind an operand. */
  private static final Set<String> BEHIND_OPERAND =
      Set.of("columns", "escape", "filter", "operator", "over", "rows", "set", "within");

  /** Words behind which a name can be a function's, besides {@link #RESERVED}. */
  private static final Set<String> BEFORE_CALL =
      Set.of(
          "absent",
          "analyze",
          "both",
          "by",
          "call",
          "content",
          "document",
          "escape",
          "explain",
          "function",
          "groups",
          "leading",
          "passing",
          "placing",
          "procedure",
          "range",
          "ref",
          "rows",
          "set",
          "tablesample",
          "trailing",
          "value",
          "version",
          "zone");

  private FunctionCalls() {}

  /**
   * A call.
   *
   * @param schema empty without one
   */
  public record Call(String schema, String name) {
    /** What the name of an operator's use begins with; no function's name is its symbol. */
    static final String OPERATOR = "operator ";

    /** The name of a cast's use. */
    static final String CAST = "a user's cast";

    /** What the name of a call written as a field begins with. */
    static final String FIELD = ".";

    /** As messages show it. */
    public String called() {
      if (name.startsWith(FIELD)) {
        return name.substring(FIELD.length()) + "()";
      }
      return name.startsWith(OPERATOR) || name.equals(CAST) ? name : this + "()";
    }

    @Override
    public String toString() {
      return schema.isEmpty() ? name : schema + "." + name;
    }
  }

  public static List<Call> in(Tokens tokens) {
    return in(tokens, Set.of());
  }

  /** The same where users have functions of the given names, words of the grammar among them. */
  static List<Call> in(Tokens tokens, Set<String> users) {
    List<Call> calls = new ArrayList<>();
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (tokens.kind(i).isName() && tokens.isSymbol(i + 1, "(") && isCall(tokens, i, users)) {
        boolean qualified = tokens.isSymbol(i - 1, ".") && i >= 2 && tokens.kind(i - 2).isName();
        calls.add(new Call(qualified ? Names.of(tokens, i - 2) : "", Names.of(tokens, i)));
      }
    }
    return calls;
  }

  private static boolean isCall(Tokens tokens, int name, Set<String> users) {
    int first = name;
    while (tokens.isSymbol(first - 1, ".") && first >= 2) {
      first -= 2;
    }
    if (first == name && isGrammar(tokens, name, users)) {
      return false;
    }
    if (tokens.isWord(first - 1, "as")
        || tokens.isWord(first - 1, "into")
        || (first > 0 && tokens.kind(first - 1) == TokenKind.TYPECAST)) {
      return false;
    }
    int close = close(tokens, name + 1);
    boolean names = namesOnly(tokens, name + 2, close);
    return !(names && (isAliasPlace(tokens, first - 1) || isCte(tokens, close)));
  }

  private static boolean isGrammar(Tokens tokens, int token, Set<String> users) {
    if (tokens.kind(token) != TokenKind.WORD) {
      return false;
    }
    String word = lower(tokens, token);
    if (RESERVED.contains(word)) {
      return !users.contains(word);
    }
    boolean paired =
        token > 0
            && tokens.kind(token - 1) == TokenKind.WORD
            && PAIRS.getOrDefault(word, Set.of()).contains(lower(tokens, token - 1));
    return paired
        || GroupingElements.isOne(tokens, token)
        || (BEHIND_OPERAND.contains(word) && isOperandEnd(tokens, token - 1));
  }

  private static boolean isOperandEnd(Tokens tokens, int token) {
    return token >= 0
        && (tokens.kind(token).isLiteral()
            || tokens.kind(token) == TokenKind.PARAMETER
            || tokens.isSymbol(token, "]")
            || isAliasPlace(tokens, token));
  }

  /** {@code name (columns) AS (query)}. */
  private static boolean isCte(Tokens tokens, int close) {
    return tokens.isWord(close + 1, "as")
        && (tokens.isSymbol(close + 2, "(") || tokens.isAnyWord(close + 2, "materialized", "not"));
  }

  /** Behind a FROM item the name is its alias, and what follows names its columns. */
  private static boolean isAliasPlace(Tokens tokens, int previous) {
    if (previous < 0) {
      return false;
    }
    if (tokens.isSymbol(previous, ")")) {
      return !closesOperator(tokens, previous) && !closesDistinctOn(tokens, previous);
    }
    return tokens.kind(previous) == TokenKind.QUOTED_NAME
        || (tokens.kind(previous) == TokenKind.WORD
            && !RESERVED.contains(lower(tokens, previous))
            && !BEFORE_CALL.contains(lower(tokens, previous)));
  }

  private static boolean closesOperator(Tokens tokens, int close) {
    int i = close;
    while (i > 0 && !tokens.isSymbol(i, "(")) {
      i--;
    }
    return tokens.isWord(i - 1, "operator");
  }

  /** {@code DISTINCT ON (a) f(b)}: the first item of the list follows. */
  private static boolean closesDistinctOn(Tokens tokens, int close) {
    int depth = 0;
    for (int i = close; i > 1; i--) {
      if (tokens.isSymbol(i, ")")) {
        depth++;
      } else if (tokens.isSymbol(i, "(") && --depth == 0) {
        return tokens.isWord(i - 1, "on") && tokens.isWord(i - 2, "distinct");
      }
    }
    return false;
  }

  private static boolean namesOnly(Tokens tokens, int from, int to) {
    for (int i = from; i < to; i++) {
      if (!tokens.kind(i).isName() && !tokens.isSymbol(i, ",")) {
        return false;
      }
    }
    return to > from;
  }

  private static int close(Tokens tokens, int open) {
    int depth = 0;
    for (int i = open; i < tokens.size(); i++) {
      if (tokens.isSymbol(i, "(")) {
        depth++;
      } else if (tokens.isSymbol(i, ")") && --depth == 0) {
        return i;
      }
    }
    return tokens.size();
  }

  private static String lower(Tokens tokens, int token) {
    return tokens.text(token).toLowerCase(Locale.ROOT);
  }
}
