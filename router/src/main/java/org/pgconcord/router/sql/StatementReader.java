package org.pgconcord.router.sql;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.sf.jsqlparser.parser.AbstractJSqlParser.Dialect;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.StringProvider;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.statement.Statement;

/**
 * Reads a query, INSERT, UPDATE or DELETE into a {@link StatementView}, or says what it cannot
 * read.
 *
 * <p>JSqlParser is known to lose or regroup pieces of some statements without complaint. Its tree
 * is therefore believed only where PostgreSQL's own token rules agree: it must print every
 * structural keyword and every name that matters as often as the client wrote it, every SELECT must
 * have been visited, and each condition that a route rests on is checked against the tokens around
 * it ({@link Clauses#isConjunct}). What fails any of that is unreadable.
 */
public final class StatementReader {
  private static final int MAX_TOKENS = 100_000;

  private StatementReader() {}

  /**
   * Reads one statement.
   *
   * @param watched names of the relations that routing depends on, folded
   */
  public static StatementView read(StatementText statement, Set<String> watched)
      throws UnreadableException {
    Tokens tokens = statement.tokens();
    if (tokens.size() > MAX_TOKENS) {
      throw new UnreadableException("a statement of more than " + MAX_TOKENS + " tokens");
    }
    Clauses clauses = new Clauses(tokens);
    if (clauses.has("table") && !clauses.has("create")) {
      throw new UnreadableException("the TABLE command");
    }
    AnalysisText text = AnalysisText.of(tokens, clauses);
    TreeReader reader = new TreeReader(tokens, clauses, text);
    StatementView view = guarded(tokens, text, reader, watched);
    if (view instanceof StatementView.Query && hasSelectInto(tokens, clauses)) {
      throw new UnreadableException("SELECT INTO");
    }
    if (reader.selects() != clauses.count("select")) {
      throw new UnreadableException("a subquery in this place");
    }
    return view;
  }

  /** The parser's tree throws at some names, and has visitors that meet nulls of its own making. */
  private static StatementView guarded(
      Tokens tokens, AnalysisText text, TreeReader reader, Set<String> watched)
      throws UnreadableException {
    try {
      Statement tree = parse(text);
      checkPrinted(tokens, tree, watched);
      return reader.statement(tree);
    } catch (StackOverflowError e) {
      throw new UnreadableException("expressions nested so deeply");
    } catch (RuntimeException e) {
      throw new UnreadableException("an expression of this form");
    }
  }

  /** An INTO that is not that of an INSERT in a CTE. */
  private static boolean hasSelectInto(Tokens tokens, Clauses clauses) {
    for (int i = 0; i < tokens.size(); i++) {
      if (clauses.isKeyword(i, "into") && !tokens.isWord(i - 1, "insert")) {
        return true;
      }
    }
    return false;
  }

  static Statement parse(AnalysisText text) throws UnreadableException {
    try {
      return parse(text.text(), false);
    } catch (ParseException | TokenMgrException e) {
      try {
        return parse(text.text(), true);
      } catch (ParseException again) {
        throw unreadable(text, again);
      } catch (TokenMgrException again) {
        throw new UnreadableException("a symbol in this place");
      }
    }
  }

  private static Statement parse(String text, boolean complex) throws ParseException {
    CCJSqlParser parser = new CCJSqlParser(new StringProvider(text));
    parser.withDialect(Dialect.POSTGRESQL).withAllowComplexParsing(complex);
    parser.withErrorRecovery(false);
    Statement statement = parser.Statement();
    if (statement == null) {
      throw new ParseException("nothing read");
    }
    return statement;
  }

  /** Names the token at which the parser gave up, as the client wrote it. */
  private static UnreadableException unreadable(AnalysisText text, ParseException failure) {
    if (failure.currentToken == null || failure.currentToken.next == null) {
      return new UnreadableException("a construct at its end");
    }
    return new UnreadableException(
        "the construct near \""
            + text.originalAt(failure.currentToken.next.absoluteBegin - 1)
            + "\"");
  }

  private static void checkPrinted(Tokens tokens, Statement tree, Set<String> watched)
      throws UnreadableException {
    Tokens printed;
    try {
      printed = Lexer.scan(tree.toString());
    } catch (org.pgconcord.config.error.ConcordException e) {
      throw new UnreadableException("a construct that does not survive reading");
    }
    Map<String, Integer> counts = new HashMap<>();
    count(tokens, watched, 1, counts);
    count(printed, watched, -1, counts);
    for (Map.Entry<String, Integer> entry : counts.entrySet()) {
      if (entry.getValue() != 0) {
        throw new UnreadableException("this use of " + entry.getKey().toUpperCase(Locale.ROOT));
      }
    }
  }

  private static void count(
      Tokens tokens, Set<String> watched, int step, Map<String, Integer> counts) {
    for (int i = 0; i < tokens.size(); i++) {
      if (!tokens.kind(i).isName()) {
        continue;
      }
      String name = Names.of(tokens, i);
      boolean structural =
          tokens.kind(i) == TokenKind.WORD
              && Keywords.STRUCTURE.contains(name)
              && !tokens.isWord(i - 1, "as")
              && !PostgresForms.isIdle(tokens, i);
      if (structural || watched.contains(name)) {
        counts.merge(name, step, Integer::sum);
      }
    }
  }
}
