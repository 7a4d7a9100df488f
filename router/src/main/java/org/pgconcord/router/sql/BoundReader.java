package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.Between;
import net.sf.jsqlparser.expression.operators.relational.ComparisonOperator;
import org.pgconcord.router.sql.ConstantView.Bound;
import org.pgconcord.router.sql.ConstantView.Side;

/**
 * What {@code k < 5}, {@code 5 <= k} and {@code k BETWEEN 1 AND 9} say of a column. The tokens must
 * read so and nothing more: BETWEEN SYMMETRIC, NOT BETWEEN and comparisons of rows are not shown.
 */
final class BoundReader {
  private static final Map<String, Side> SIDES =
      Map.of("<", Side.BELOW, "<=", Side.AT_MOST, ">=", Side.AT_LEAST, ">", Side.ABOVE);

  private final Tokens tokens;
  private final PredicateReader predicates;

  BoundReader(Tokens tokens, PredicateReader predicates) {
    this.tokens = tokens;
    this.predicates = predicates;
  }

  Optional<PredicateView> bounds(Expression condition) {
    if (condition instanceof Between between) {
      return between.isNot() ? Optional.empty() : between(between);
    } else if (condition instanceof ComparisonOperator comparison) {
      String operator = comparison.getStringExpression();
      Side side = SIDES.get(operator);
      return side == null ? Optional.empty() : comparison(comparison, operator, side);
    }
    return Optional.empty();
  }

  private Optional<PredicateView> between(Between between) {
    Optional<ColumnView> column = predicates.column(between.getLeftExpression());
    if (column.isEmpty()) {
      return Optional.empty();
    }
    int word = predicates.nameEnd(column.get().token());
    if (!tokens.isWord(word, "between")) {
      return Optional.empty();
    }
    List<Bound> bounds = new ArrayList<>();
    int and = bound(Side.AT_LEAST, between.getBetweenExpressionStart(), word + 1, bounds);
    if (!tokens.isWord(and, "and")) {
      return Optional.empty();
    }
    int end = bound(Side.AT_MOST, between.getBetweenExpressionEnd(), and + 1, bounds);
    return bounds.size() == 2 && predicates.isConjunct(column.get().token(), end)
        ? Optional.of(new PredicateView.Within(column.get(), bounds))
        : Optional.empty();
  }

  /** Adds a bound; the token behind it, or -1 when there is none. */
  private int bound(Side side, Expression expression, int at, List<Bound> bounds) {
    Optional<PredicateReader.Value> value = predicates.valueAt(expression, at);
    value.ifPresent(v -> bounds.add(new Bound(side, v.constant())));
    return value.map(PredicateReader.Value::end).orElse(-1);
  }

  private Optional<PredicateView> comparison(
      ComparisonOperator comparison, String operator, Side side) {
    Expression left = comparison.getLeftExpression();
    Expression right = comparison.getRightExpression();
    Optional<ColumnView> first = predicates.column(left);
    if (first.isPresent()) {
      int name = first.get().token();
      int at = predicates.nameEnd(name);
      return tokens.isSymbol(at, operator)
          ? predicates
              .valueAt(right, at + 1)
              .filter(value -> predicates.isConjunct(name, value.end()))
              .map(value -> within(first.get(), side, value.constant()))
          : Optional.empty();
    }
    Optional<ColumnView> second = predicates.column(right);
    return second.isPresent() && tokens.isSymbol(second.get().token() - 1, operator)
        ? predicates
            .valueBefore(left, second.get().token())
            .map(value -> within(second.get(), turned(side), value))
        : Optional.empty();
  }

  private static Side turned(Side side) {
    return switch (side) {
      case BELOW -> Side.ABOVE;
      case AT_MOST -> Side.AT_LEAST;
      case AT_LEAST -> Side.AT_MOST;
      case ABOVE -> Side.BELOW;
    };
  }

  private static PredicateView within(ColumnView column, Side side, ConstantView value) {
    return new PredicateView.Within(column, List.of(new Bound(side, value)));
  }
}
