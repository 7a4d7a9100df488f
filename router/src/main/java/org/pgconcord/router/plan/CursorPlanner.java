package org.pgconcord.router.plan;

import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/** Reads DECLARE, FETCH, MOVE and CLOSE; the query of a cursor is planned like any other. */
final class CursorPlanner {
  private final StatementPlanner planner;
  private final StatementText text;
  private final Tokens tokens;
  private final PlanContext context;

  CursorPlanner(StatementPlanner planner, StatementText text, PlanContext context) {
    this.planner = planner;
    this.text = text;
    this.tokens = text.tokens();
    this.context = context;
  }

  Plan plan() {
    if (tokens.isWord(0, "declare")) {
      return declare();
    } else if (tokens.isWord(0, "close")) {
      return close();
    }
    return fetch();
  }

  private Plan declare() {
    String name = name(1);
    boolean scroll = false;
    boolean binary = false;
    int i = 2;
    while (i < tokens.size() && !tokens.isWord(i, "cursor")) {
      if (!tokens.isAnyWord(i, "binary", "asensitive", "insensitive", "no", "scroll")) {
        throw syntax(i);
      }
      binary |= tokens.isWord(i, "binary");
      scroll |= tokens.isWord(i, "scroll") && !tokens.isWord(i - 1, "no");
      i++;
    }
    i++;
    if (tokens.isWord(i, "with") && tokens.isWord(i + 1, "hold")) {
      throw ErrorCode.SQL_CURSOR.because("a cursor WITH HOLD outlives its transaction");
    } else if (tokens.isWord(i, "without") && tokens.isWord(i + 1, "hold")) {
      i += 2;
    }
    if (!tokens.isWord(i, "for") || i + 1 >= tokens.size()) {
      throw syntax(i);
    }
    String sql = text.sql().substring(tokens.start(i + 1), tokens.end(tokens.size() - 1));
    Planned query = planner.plan(new StatementText(sql, Lexer.scan(sql)), context);
    if (query.plan() instanceof Plan.Refused) {
      return query.plan();
    } else if (query.plan().facts().command() != StatementFacts.Command.SELECT) {
      throw ErrorCode.SQL_CURSOR.because("a cursor is declared for a query");
    }
    return new SessionCommand.DeclareCursor(name, query, scroll, binary);
  }

  private Plan close() {
    if (tokens.size() != 2) {
      throw syntax(2);
    }
    return new SessionCommand.CloseCursor(
        tokens.isWord(1, "all") ? Optional.empty() : Optional.of(name(1)));
  }

  private Plan fetch() {
    int last = tokens.size() - 1;
    String name = name(last);
    int end = tokens.isAnyWord(last - 1, "from", "in") ? last - 1 : last;
    return new SessionCommand.FetchCursor(name, rows(1, end), tokens.isWord(0, "move"));
  }

  /** How far forward; empty for anything else. */
  private Optional<Long> rows(int from, int to) {
    int i = tokens.isWord(from, "forward") && from < to ? from + 1 : from;
    if (i == to || (to - from == 1 && tokens.isWord(from, "next"))) {
      return Optional.of(1L);
    } else if (to - i == 1 && tokens.isWord(i, "all")) {
      return Optional.of(SessionCommand.FetchCursor.ALL);
    } else if (to - i == 1
        && tokens.kind(i) == TokenKind.INTEGER
        && tokens.text(i).matches("[1-9][0-9]{0,17}")) {
      return Optional.of(Long.parseLong(tokens.text(i)));
    }
    return Optional.empty();
  }

  private String name(int i) {
    if (i < 1 || i >= tokens.size() || !tokens.kind(i).isName()) {
      throw syntax(i);
    }
    return Names.of(tokens, i);
  }

  private ConcordException syntax(int i) {
    String near = i < tokens.size() ? " at or near \"" + tokens.text(i) + "\"" : " at end of input";
    return ErrorCode.SQL_SYNTAX.because("syntax error" + near);
  }
}
