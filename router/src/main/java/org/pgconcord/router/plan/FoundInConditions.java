package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.Conjunction;
import org.pgconcord.router.sql.StatementView;
import org.pgconcord.router.sql.Tokens;

/**
 * The subqueries of a WHERE clause and of SET that can run by themselves: {@code IN}, {@code = ANY}
 * of columns of the target where these are operands of the AND chain, and those that stand for one
 * value. A negated list is none of them: a row that comes while the statement is under way, with
 * what it is looked for in, would be taken for one without.
 */
final class FoundInConditions {
  private static final String[] NO_VALUE_BEHIND = {
    "in",
    "any",
    "some",
    "all",
    "exists",
    "array",
    "from",
    "join",
    "lateral",
    "using",
    "as",
    "union",
    "intersect",
    "except",
    "distinct",
    "only"
  };

  private static final String[] NO_VALUE_BEFORE = {
    "union", "intersect", "except", "order", "limit", "offset", "fetch", "for"
  };

  private final PlanInput input;
  private final FoundTarget target;
  private final Tokens tokens;
  private final Clauses clauses;
  private final OuterNames outer;

  FoundInConditions(PlanInput input, StatementView view, FoundTarget target) {
    this.input = input;
    this.target = target;
    this.tokens = input.tokens();
    this.clauses = input.clauses();
    this.outer = new OuterNames(input, view, target);
  }

  List<Found> all() {
    List<Found> found = new ArrayList<>();
    clauses.topLevelWhere().ifPresent(where -> own(where, q -> list(q).or(() -> value(q)), found));
    assignments().ifPresent(set -> own(set, this::value, found));
    return found;
  }

  private void own(
      Clauses.Range range, Function<Clauses.Range, Optional<Found>> place, List<Found> found) {
    clauses.subqueries(range).stream()
        .filter(query -> !outer.areIn(query))
        .forEach(query -> place.apply(query).ifPresent(found::add));
  }

  private Optional<Clauses.Range> assignments() {
    return clauses
        .topLevelSet()
        .map(
            set ->
                new Clauses.Range(
                    set + 1, clauses.topLevel(set + 1, "from", "where", "returning")));
  }

  // --- lists -----------------------------------------------------------------------------------

  private Optional<Found> list(Clauses.Range query) {
    int operator = operator(query);
    if (operator < 1) {
      return Optional.empty();
    }
    boolean array = tokens.isWord(query.from() - 2, "array");
    int end = query.to() + (array ? 2 : 1);
    Optional<FoundColumns> left = FoundColumns.before(input, target, operator);
    if (left.isEmpty()
        || (array && !tokens.isSymbol(end - 1, ")"))
        || !new Conjunction(tokens, clauses).isConjunct(left.get().from(), end)) {
      return Optional.empty();
    }
    List<FoundKeys.Equal> equal = left.get().inOrder();
    FoundQuery asked = FoundQuery.of(query, equal, target, input);
    return Optional.of(
        new FoundList(
            asked,
            new Clauses.Range(left.get().from(), end),
            operator == query.from() - 2 && tokens.isSymbol(operator, "="),
            new FoundKeys(equal, target.shardKey(), asked.addedColumns())));
  }

  /** The IN or = in front of a list, or of a row; -1 for none. */
  private int operator(Clauses.Range query) {
    int before = query.from() - 2;
    if (tokens.isWord(before, "in") || tokens.isSymbol(before, "=")) {
      return before;
    }
    int any =
        tokens.isWord(before, "array") && tokens.isSymbol(before - 1, "(") ? before - 2 : before;
    return tokens.isAnyWord(any, "any", "some") && tokens.isSymbol(any - 1, "=") ? any - 1 : -1;
  }

  // --- values ----------------------------------------------------------------------------------

  private Optional<Found> value(Clauses.Range query) {
    int open = query.from() - 1;
    boolean twice =
        tokens.isSymbol(open - 1, "(")
            && (tokens.isSymbol(open - 2, "(") || tokens.isAnyWord(open - 2, NO_VALUE_BEHIND));
    return twice
            || tokens.isAnyWord(open - 1, NO_VALUE_BEHIND)
            || tokens.isAnyWord(query.to() + 1, NO_VALUE_BEFORE)
        ? Optional.empty()
        : Optional.of(
            new FoundValue(FoundQuery.of(query), new Clauses.Range(open, query.to() + 1)));
  }
}
