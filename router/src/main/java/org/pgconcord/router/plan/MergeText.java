package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Clauses.Range;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * The parts of a MERGE, and what it does put as statements of other kinds, which say together where
 * all the rows are that it looks at or stores.
 *
 * @param name the target's name
 * @param target the name and its alias
 * @param source behind USING
 * @param on the condition
 * @param actions behind it
 */
record MergeText(Range name, Range target, Range source, Range on, List<Action> actions) {
  /**
   * One WHEN.
   *
   * @param matched for rows of the target; else for rows of the source without one
   * @param condition what must hold beside
   * @param kind {@code insert}, {@code update}, {@code delete} or {@code do}
   * @param columns of INSERT, with their parentheses; empty without
   * @param values the SET list of UPDATE, or what stands in INSERT's parentheses
   */
  record Action(
      boolean matched,
      Optional<Range> condition,
      String kind,
      Optional<Range> columns,
      Optional<Range> values) {}

  MergeText {
    actions = List.copyOf(actions);
  }

  /**
   * Reads it.
   *
   * @throws ConcordException for what is not read here
   */
  static MergeText of(Tokens tokens, Clauses clauses) {
    return new Reader(tokens, clauses).read();
  }

  /** Rows of the source whose partners are missing are dealt with too. */
  boolean inserts() {
    return actions.stream().anyMatch(a -> !a.matched());
  }

  /** The source alone. */
  String sourceAlone(StatementText text) {
    return "SELECT 1 FROM " + part(text, source);
  }

  /** What it looks at and what each of its actions does; the first is there always. */
  List<String> twins(StatementText text) {
    List<String> twins = new ArrayList<>();
    twins.add(change("DELETE FROM", "", "USING", text, Optional.empty()));
    for (Action action : actions) {
      switch (action.kind()) {
        case "update" ->
            twins.add(
                change("UPDATE", " SET " + values(text, action), "FROM", text, action.condition()));
        case "delete" -> twins.add(change("DELETE FROM", "", "USING", text, action.condition()));
        case "insert" ->
            twins.add(
                "INSERT INTO %s %s SELECT %s FROM %s%s"
                    .formatted(
                        part(text, name),
                        action.columns().map(c -> part(text, c)).orElse(""),
                        values(text, action),
                        part(text, source),
                        action.condition().map(c -> " WHERE " + part(text, c)).orElse("")));
        default -> {}
      }
    }
    return twins;
  }

  private String change(
      String verb, String set, String join, StatementText text, Optional<Range> condition) {
    String beside = condition.map(c -> " AND (" + part(text, c) + ")").orElse("");
    return "%s %s%s %s %s WHERE (%s)%s"
        .formatted(verb, part(text, target), set, join, part(text, source), part(text, on), beside);
  }

  private static String values(StatementText text, Action action) {
    return action.values().map(v -> part(text, v)).orElse("");
  }

  private static String part(StatementText text, Range range) {
    Tokens tokens = text.tokens();
    return text.sql().substring(tokens.start(range.from()), tokens.end(range.to() - 1));
  }

  /** By the grammar of PostgreSQL 15 to 18. */
  private static final class Reader {
    private final Tokens tokens;
    private final Clauses clauses;
    private int at;

    Reader(Tokens tokens, Clauses clauses) {
      this.tokens = tokens;
      this.clauses = clauses;
    }

    MergeText read() {
      expect("merge");
      expect("into");
      int nameFrom = at;
      at++;
      while (tokens.isSymbol(at, ".")) {
        at += 2;
      }
      Range name = new Range(nameFrom, at);
      if (tokens.isWord(nameFrom, "only")) {
        throw notRead("ONLY");
      }
      at = nameFrom;
      Range target = new Range(nameFrom, until("using"));
      expect("using");
      Range source = new Range(at, until("on"));
      expect("on");
      Range on = new Range(at, until("when"));
      List<Action> actions = new ArrayList<>();
      while (tokens.isWord(at, "when")) {
        actions.add(action());
      }
      if (actions.isEmpty() || (at < tokens.size() && !tokens.isWord(at, "returning"))) {
        throw notRead("a clause");
      }
      return new MergeText(name, target, source, on, actions);
    }

    private Action action() {
      expect("when");
      boolean matched = !tokens.isWord(at, "not");
      at += matched ? 0 : 1;
      expect("matched");
      if (tokens.isWord(at, "by")) {
        expect("by");
        if (!tokens.isWord(at, "target")) {
          throw notRead("WHEN NOT MATCHED BY SOURCE, which looks at rows of all shards,");
        }
        at++;
      }
      Optional<Range> condition = Optional.empty();
      if (tokens.isWord(at, "and")) {
        at++;
        condition = Optional.of(new Range(at, until("then")));
      }
      expect("then");
      String kind =
          List.of("insert", "update", "delete", "do").stream()
              .filter(k -> tokens.isWord(at, k))
              .findFirst()
              .orElseThrow(() -> notRead("an action"));
      at++;
      Optional<Range> columns = Optional.empty();
      Optional<Range> values = Optional.empty();
      if (kind.equals("update")) {
        expect("set");
        int from = at;
        values = Optional.of(new Range(from, next("when", "returning")));
      } else if (kind.equals("insert")) {
        if (tokens.isSymbol(at, "(")) {
          int close = clauses.close(at);
          columns = Optional.of(new Range(at, close + 1));
          at = close + 1;
        }
        expect("values");
        int close = clauses.close(at);
        values = Optional.of(new Range(at + 1, close));
        at = close + 1;
      } else if (kind.equals("do")) {
        expect("nothing");
      }
      return new Action(matched, condition, kind, columns, values);
    }

    private int until(String word) {
      int from = at;
      if (next(word) >= tokens.size() || at == from) {
        throw notRead("a clause");
      }
      return at;
    }

    /** The first such word that stands in no parentheses and in no CASE. */
    private int next(String... words) {
      int cases = 0;
      while (at < tokens.size() && (cases > 0 || !tokens.isAnyWord(at, words))) {
        cases += tokens.isWord(at, "case") ? 1 : tokens.isWord(at, "end") ? -1 : 0;
        at = clauses.close(at) > 0 ? clauses.close(at) + 1 : at + 1;
      }
      return at;
    }

    private void expect(String word) {
      if (!tokens.isWord(at, word)) {
        throw notRead("a clause");
      }
      at++;
    }

    private static ConcordException notRead(String what) {
      return ErrorCode.SQL_MERGE.because(what + " of the MERGE is not read here");
    }
  }
}
