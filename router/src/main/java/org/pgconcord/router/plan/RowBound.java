package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.TokenKind;
import org.pgconcord.router.sql.Tokens;

/**
 * LIMIT (or FETCH FIRST) and OFFSET of a query's outermost level, where they are numbers that the
 * router knows when the query runs: constants, and parameters.
 *
 * @param limit the token of the limit
 * @param offset that of the offset
 * @param clauses both clauses with their words, in their order
 */
public record RowBound(int limit, Optional<Integer> offset, List<Clauses.Range> clauses) {
  private static final String[] TAIL = {"order", "limit", "offset", "fetch", "for"};
  private static final int INT8 = 20;

  /** More than anybody has. */
  public static final long ALL = Long.MAX_VALUE >> 2;

  public RowBound {
    clauses = List.copyOf(clauses);
  }

  /** Whether the query has any of the two. */
  static boolean isIn(PlanInput input) {
    return input.clauses().topLevel(0, "limit", "offset", "fetch") < input.tokens().size();
  }

  static RowBound of(PlanInput input) {
    return new Reader(input.tokens(), input.clauses()).read();
  }

  /** How many rows are given at most; below 0 where the client says so. */
  public long limit(StatementText text, Parameters parameters) {
    return value(limit, text, parameters).orElse(ALL);
  }

  /** How many are left out before; below 0 where the client says so. */
  public long offset(StatementText text, Parameters parameters) {
    return offset.isEmpty() ? 0 : value(offset.get(), text, parameters).orElse(0);
  }

  /** Empty for NULL. */
  private static OptionalLong value(int token, StatementText text, Parameters parameters) {
    Optional<String> digits =
        text.tokens().kind(token) == TokenKind.PARAMETER
            ? parameter(Integer.parseInt(text.tokens().text(token).substring(1)), parameters)
            : Optional.of(text.tokens().text(token));
    if (digits.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Math.min(Long.parseLong(digits.get().strip()), ALL));
    } catch (NumberFormatException e) {
      throw unknown("a limit or an offset is no number that is read here");
    }
  }

  private static Optional<String> parameter(int number, Parameters parameters) {
    if (number > parameters.count()) {
      throw unknown("parameter $" + number + " has no value");
    }
    ParameterValue value = parameters.value(number);
    return value.bytes() == null
        ? Optional.empty()
        : Optional.of(
            ParameterText.of(value, INT8)
                .orElseThrow(() -> unknown("parameter $" + number + " is no integer")));
  }

  private static ConcordException unknown(String why) {
    return ErrorCode.QUERY_LOCKING
        .because("LIMIT beside FOR UPDATE or FOR SHARE over several shards")
        .withDetail(why)
        .withHint("Write LIMIT and OFFSET as integers, or as parameters.");
  }

  private record Reader(Tokens tokens, Clauses clauses) {
    RowBound read() {
      List<Clauses.Range> found = new ArrayList<>();
      Optional<Integer> offset = Optional.empty();
      int limit = -1;
      int i = clauses.topLevel(0, "limit", "offset", "fetch");
      while (i < tokens.size()) {
        Clauses.Range clause = new Clauses.Range(i, clauses.topLevel(i + 1, TAIL));
        found.add(clause);
        if (tokens.isWord(i, "offset")) {
          offset = Optional.of(count(new Clauses.Range(i + 1, behindRows(clause))));
        } else {
          limit = count(limited(clause));
        }
        i = clauses.topLevel(clause.to(), "limit", "offset", "fetch");
      }
      if (limit < 0) {
        throw unknown("there is an OFFSET without a limit");
      }
      return new RowBound(limit, offset, found);
    }

    private int behindRows(Clauses.Range clause) {
      return tokens.isAnyWord(clause.to() - 1, "row", "rows") ? clause.to() - 1 : clause.to();
    }

    private Clauses.Range limited(Clauses.Range clause) {
      int first = clause.from();
      if (tokens.isWord(first, "limit")) {
        return new Clauses.Range(first + 1, clause.to());
      }
      boolean counted =
          clause.to() - first >= 5
              && tokens.isAnyWord(first + 1, "first", "next")
              && tokens.isAnyWord(clause.to() - 2, "row", "rows")
              && tokens.isWord(clause.to() - 1, "only");
      if (!counted) {
        throw unknown("this form of FETCH FIRST is not read here");
      }
      return new Clauses.Range(first + 2, clause.to() - 2);
    }

    /** An integer or a parameter, perhaps cast to an integer. */
    private int count(Clauses.Range range) {
      int from = range.from();
      int to = range.to();
      while (tokens.isSymbol(from, "(") && clauses.partner(from) == to - 1) {
        from++;
        to--;
      }
      boolean cast =
          to - from == 3
              && tokens.kind(from + 1) == TokenKind.TYPECAST
              && tokens.isAnyWord(to - 1, "int", "integer", "bigint", "int4", "int8");
      boolean known =
          (to - from == 1 || cast)
              && (tokens.kind(from) == TokenKind.INTEGER
                  || tokens.kind(from) == TokenKind.PARAMETER);
      if (!known) {
        throw unknown("a limit or an offset is computed");
      }
      return from;
    }
  }
}
