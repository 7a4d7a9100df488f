package org.pgconcord.router.plan;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * The parts of an INSERT ... SELECT.
 *
 * @param insert where INSERT stands: behind the CTEs in front of it, which belong to the query
 * @param list the token before which a column list can be put; empty when there is one
 * @param from the query's first token
 * @param to behind its last
 */
public record InsertText(int insert, Optional<Integer> list, int from, int to) {

  /** Where they are; empty when they are not found where they should be. */
  static Optional<InsertText> of(Tokens tokens, Clauses clauses) {
    int insert = tokens.isWord(0, "with") ? clauses.topLevel(1, "insert") : 0;
    int at = insert + 3;
    while (tokens.isSymbol(at, ".")) {
      at += 2;
    }
    if (tokens.isWord(at, "as")) {
      at += 2;
    }
    Optional<Integer> list = Optional.of(at);
    if (tokens.isSymbol(at, "(") && !startsQuery(tokens, at + 1)) {
      list = Optional.empty();
      at = clauses.close(at) + 1;
    }
    if (tokens.isWord(at, "overriding")) {
      at += 3;
    }
    int end = end(tokens, at, clauses);
    boolean query = tokens.isSymbol(at, "(") || startsQuery(tokens, at);
    boolean twice = insert > 0 && tokens.isWord(at, "with");
    return at > 0 && at < end && query && !twice
        ? Optional.of(new InsertText(insert, list, at, end))
        : Optional.empty();
  }

  /** Nothing is read behind the query: no subquery stands in ON CONFLICT or RETURNING. */
  boolean readsNothingBehind(Tokens tokens) {
    return IntStream.range(to, tokens.size())
        .noneMatch(i -> tokens.isAnyWord(i, "select", "table", "values"));
  }

  private static int end(Tokens tokens, int from, Clauses clauses) {
    int end = clauses.topLevelReturning().map(r -> r.from() - 1).orElse(tokens.size());
    for (int i = from; i < end; i++) {
      boolean conflict = tokens.isWord(i, "on") && tokens.isWord(i + 1, "conflict");
      if (conflict && (tokens.isAnyWord(i + 2, "do", "on") || tokens.isSymbol(i + 2, "("))) {
        return i;
      }
    }
    return end;
  }

  private static boolean startsQuery(Tokens tokens, int at) {
    return tokens.isAnyWord(at, "select", "with", "table", "values") || tokens.isSymbol(at, "(");
  }

  /** The query by itself, with the CTEs in front of the statement. */
  public String query(StatementText text) {
    String query = text.sql().substring(text.tokens().start(from), text.tokens().end(to - 1));
    return insert == 0
        ? query
        : text.sql().substring(0, text.tokens().end(insert - 1)) + " " + query;
  }

  /**
   * The statement with other rows.
   *
   * @param columns what the rows have
   * @param more columns of theirs that the client has not named
   * @param overriding they are written over what PostgreSQL would generate
   * @param values in place of the query
   * @param returning behind the statement
   */
  public String with(
      StatementText text,
      List<String> columns,
      List<String> more,
      boolean overriding,
      String values,
      String returning) {
    Tokens tokens = text.tokens();
    String sql = text.sql();
    boolean overrides = tokens.isWord(from - 3, "overriding");
    int split = list.map(tokens::start).orElseGet(() -> tokens.start(from - (overrides ? 4 : 1)));
    String rest = sql.substring(tokens.end(to - 1), tokens.end(tokens.size() - 1));
    return sql.substring(tokens.start(insert), split)
        + (list.isPresent() ? "(" + names(columns, more) + ") " : names(List.of(""), more))
        + sql.substring(split, tokens.start(from))
        + (overriding && !overrides ? " OVERRIDING SYSTEM VALUE " : "")
        + values
        + rest
        + returning;
  }

  /** An empty name stands for those that are there. */
  private static String names(List<String> columns, List<String> more) {
    return Stream.concat(columns.stream(), more.stream())
        .map(c -> c.isEmpty() ? "" : Identifiers.quote(c))
        .collect(Collectors.joining(", "));
  }
}
