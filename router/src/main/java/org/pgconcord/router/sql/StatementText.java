package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * One statement as the client wrote it, with its tokens. The text has no {@code ;} at its end but
 * may have comments and blanks around; an empty statement has no tokens.
 */
public record StatementText(String sql, Tokens tokens) {

  /**
   * Reads a text that should hold one statement (the extended protocol's Parse).
   *
   * @throws org.pgconcord.config.error.ConcordException when the text does not scan, or holds more
   *     than one statement
   */
  public static StatementText one(String sql) {
    List<StatementText> all = split(sql);
    return switch (all.size()) {
      case 0 -> new StatementText(sql, Lexer.scan(""));
      case 1 -> all.get(0);
      default ->
          throw org.pgconcord.config.error.ErrorCode.SQL_SYNTAX.because(
              "cannot insert multiple commands into a prepared statement");
    };
  }

  /**
   * The statements of a simple query in order, empty ones left out.
   *
   * @throws org.pgconcord.config.error.ConcordException when the text does not scan
   */
  public static List<StatementText> split(String sql) {
    Tokens tokens = Lexer.scan(sql);
    List<StatementText> statements = new ArrayList<>();
    SplitState state = new SplitState(tokens);
    int from = 0;
    for (int i = 0; i <= tokens.size(); i++) {
      if (i == tokens.size() || state.ends(i, from)) {
        if (i > from) {
          statements.add(piece(sql, tokens, from, i));
        }
        from = i + 1;
      }
    }
    return statements;
  }

  /** A lone statement keeps the client's whole text, so that error positions stay right. */
  private static StatementText piece(String sql, Tokens tokens, int from, int to) {
    if (from == 0 && to == tokens.size()) {
      return new StatementText(sql, tokens);
    }
    return new StatementText(sql, tokens).part(new Clauses.Range(from, to));
  }

  /** Some of its tokens as a text of their own. */
  public StatementText part(Clauses.Range range) {
    String text = sql.substring(tokens.start(range.from()), tokens.end(range.to() - 1));
    return new StatementText(text, Lexer.scan(text));
  }

  public boolean isEmpty() {
    return tokens.size() == 0;
  }
}
