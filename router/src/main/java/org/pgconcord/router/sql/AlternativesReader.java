package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.sf.jsqlparser.expression.BinaryExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.conditional.OrExpression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;

/**
 * What {@code k = 1 AND a > 0 OR k IN (2, 3)} says of a column: that it has one of the values which
 * the alternatives give it. Nothing, when one of them gives it none. The parser's alternatives and
 * those between the tokens must be the same; each is then read by itself, within its own tokens.
 */
final class AlternativesReader {
  private final Tokens tokens;
  private final Clauses clauses;
  private final Conjunction chain;
  private final AnalysisText text;

  AlternativesReader(Tokens tokens, Clauses clauses, Conjunction chain, AnalysisText text) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.chain = chain;
    this.text = text;
  }

  List<PredicateView> columns(OrExpression or) {
    List<Expression> read = alternatives(or).toList();
    List<Clauses.Range> ranges = firstColumn(or).map(chain::alternatives).orElse(List.of());
    if (ranges.size() != read.size()) {
      return List.of();
    }
    List<List<PredicateView>> arms = new ArrayList<>();
    for (int i = 0; i < ranges.size(); i++) {
      arms.add(within(ranges.get(i)).conjuncts(read.get(i)));
    }
    return arms.get(0).stream()
        .flatMap(p -> p instanceof PredicateView.OneOf one ? Stream.of(one) : Stream.empty())
        .flatMap(one -> union(one, arms.subList(1, arms.size())).stream())
        .toList();
  }

  private PredicateReader within(Clauses.Range alternative) {
    return new PredicateReader(tokens, clauses, chain.within(alternative), text);
  }

  private static Stream<Expression> alternatives(Expression expression) {
    return expression instanceof OrExpression or
        ? Stream.concat(alternatives(or.getLeftExpression()), alternatives(or.getRightExpression()))
        : Stream.of(expression);
  }

  private static Optional<PredicateView> union(
      PredicateView.OneOf first, List<List<PredicateView>> others) {
    List<ConstantView> values = new ArrayList<>(first.constants());
    for (List<PredicateView> arm : others) {
      Optional<PredicateView.OneOf> same =
          arm.stream()
              .flatMap(p -> p instanceof PredicateView.OneOf one ? Stream.of(one) : Stream.empty())
              .filter(one -> isSame(one.column(), first.column()))
              .findFirst();
      if (same.isEmpty()) {
        return Optional.empty();
      }
      values.addAll(same.get().constants());
    }
    return Optional.of(new PredicateView.OneOf(first.column(), values, false));
  }

  private static boolean isSame(ColumnView one, ColumnView other) {
    return one.qualifier().equals(other.qualifier()) && one.name().equals(other.name());
  }

  /** The token of a column in the first alternative, to find the OR's place by. */
  private Optional<Integer> firstColumn(Expression expression) {
    if (expression instanceof ParenthesedExpressionList<?> list && !list.isEmpty()) {
      return firstColumn(list.get(0));
    } else if (expression instanceof BinaryExpression both) {
      Optional<Integer> left = firstColumn(both.getLeftExpression());
      return left.isPresent() || both instanceof OrExpression
          ? left
          : firstColumn(both.getRightExpression());
    } else if (expression instanceof InExpression in) {
      return firstColumn(in.getLeftExpression());
    }
    return expression instanceof Column column && column.getASTNode() != null
        ? Optional.of(PredicateReader.token(column, text)).filter(token -> token >= 0)
        : Optional.empty();
  }
}
