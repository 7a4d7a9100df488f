package org.pgconcord.router.plan;

import java.util.Locale;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.plan.SessionCommand.DeclareCursor.Scroll;
import org.pgconcord.router.plan.SessionCommand.FetchCursor.Direction;
import org.pgconcord.router.sql.Clauses;
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
    Scroll scroll = Scroll.NOTHING;
    boolean binary = false;
    int i = 2;
    while (i < tokens.size() && !tokens.isWord(i, "cursor")) {
      if (!tokens.isAnyWord(i, "binary", "asensitive", "insensitive", "no", "scroll")) {
        throw syntax(i);
      }
      binary |= tokens.isWord(i, "binary");
      if (tokens.isWord(i, "scroll")) {
        scroll = tokens.isWord(i - 1, "no") ? Scroll.NO_SCROLL : Scroll.SCROLL;
      }
      i++;
    }
    i++;
    boolean hold = tokens.isWord(i, "with") && tokens.isWord(i + 1, "hold");
    if (hold || (tokens.isWord(i, "without") && tokens.isWord(i + 1, "hold"))) {
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
    return new SessionCommand.DeclareCursor(name, query, scroll, binary, hold);
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
    return fetch(name, new Clauses.Range(1, end), tokens.isWord(0, "move"));
  }

  /** The direction stands in the range; nothing there means the next row. */
  private Plan fetch(String name, Clauses.Range range, boolean move) {
    int i = range.from();
    Direction direction = Direction.FORWARD;
    long count = 1;
    if (i < range.to() && tokens.isAnyWord(i, "next", "prior", "first", "last")) {
      direction =
          tokens.isWord(i, "next")
              ? Direction.FORWARD
              : tokens.isWord(i, "prior") ? Direction.BACKWARD : Direction.ABSOLUTE;
      count = tokens.isWord(i, "last") ? -1 : 1;
      i++;
    } else if (i < range.to()) {
      boolean place = tokens.isAnyWord(i, "absolute", "relative");
      if (place || tokens.isAnyWord(i, "forward", "backward")) {
        direction = Direction.valueOf(tokens.text(i).toUpperCase(Locale.ROOT));
        i++;
      }
      if (i < range.to() || place) {
        boolean all = tokens.isWord(i, "all") && !place && i + 1 == range.to();
        count = all ? SessionCommand.FetchCursor.ALL : number(i, range.to());
        i = range.to();
      }
    }
    if (i != range.to()) {
      throw syntax(i);
    }
    return new SessionCommand.FetchCursor(name, direction, count, move);
  }

  private long number(int from, int to) {
    boolean signed = tokens.isSymbol(from, "-") || tokens.isSymbol(from, "+");
    int digits = signed ? from + 1 : from;
    if (digits + 1 != to || tokens.kind(digits) != TokenKind.INTEGER) {
      throw syntax(from);
    }
    try {
      long count = Integer.parseInt(tokens.text(digits));
      return tokens.isSymbol(from, "-") ? -count : count;
    } catch (NumberFormatException e) {
      throw syntax(digits);
    }
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
