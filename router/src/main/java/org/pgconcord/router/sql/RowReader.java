package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.InExpression;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;

/**
 * What {@code (a, b) = (1, 2)} and {@code (a, b) IN ((1, 2), (3, 4))} say of each column: that it
 * has one of the values in its place. Which values go together is not kept.
 */
final class RowReader {
  private final Tokens tokens;
  private final Clauses clauses;
  private final PredicateReader predicates;

  RowReader(Tokens tokens, Clauses clauses, PredicateReader predicates) {
    this.tokens = tokens;
    this.clauses = clauses;
    this.predicates = predicates;
  }

  List<PredicateView> equality(ParenthesedExpressionList<?> row, Expression right) {
    if (!(right instanceof ParenthesedExpressionList<?> values)) {
      return List.of();
    }
    Optional<Integer> open = begin(row);
    if (open.isEmpty()) {
      return List.of();
    }
    int equals = clauses.close(open.get()) + 1;
    boolean agreed = tokens.isSymbol(equals, "=") && isWhole(open.get(), clauses.close(equals + 1));
    return agreed ? columns(row, List.of(values), equals + 1) : List.of();
  }

  List<PredicateView> membership(ParenthesedExpressionList<?> row, InExpression in) {
    if (!(in.getRightExpression() instanceof ParenthesedExpressionList<?> list)) {
      return List.of();
    }
    Optional<Integer> open = begin(row);
    if (open.isEmpty()) {
      return List.of();
    }
    int word = clauses.close(open.get()) + 1;
    int end = clauses.close(word + 1);
    if (!tokens.isWord(word, "in") || !isWhole(open.get(), end)) {
      return List.of();
    }
    List<ParenthesedExpressionList<?>> rows = new ArrayList<>();
    for (Expression each : list) {
      if (!(each instanceof ParenthesedExpressionList<?> values)) {
        return List.of();
      }
      rows.add(values);
    }
    return columns(row, rows, word + 2);
  }

  private boolean isWhole(int from, int close) {
    return close > 0 && predicates.isConjunct(from, close + 1);
  }

  /** The parenthesis in front of the first column. */
  private Optional<Integer> begin(ParenthesedExpressionList<?> row) {
    return predicates
        .column(row.get(0))
        .map(first -> first.token() - 1)
        .filter(open -> clauses.close(open) > 0);
  }

  /** Token by token, each row's values must be constants between commas. */
  private List<PredicateView> columns(
      ParenthesedExpressionList<?> row, List<ParenthesedExpressionList<?>> rows, int from) {
    List<ColumnView> columns = new ArrayList<>();
    for (Expression each : row) {
      Optional<ColumnView> column = predicates.column(each);
      if (column.isEmpty()) {
        return List.of();
      }
      columns.add(column.get());
    }
    List<List<ConstantView>> values = new ArrayList<>();
    columns.forEach(column -> values.add(new ArrayList<>()));
    int at = from;
    for (ParenthesedExpressionList<?> each : rows) {
      if (each.size() != columns.size() || !tokens.isSymbol(at, "(")) {
        return List.of();
      }
      int close = clauses.close(at);
      for (int i = 0; i < columns.size(); i++) {
        int begin = at + 1;
        int end = predicates.constantEnd(begin);
        Optional<ConstantView> value = predicates.constantIn(each.get(i), begin, end);
        boolean ends = i == columns.size() - 1 ? end == close : tokens.isSymbol(end, ",");
        if (value.isEmpty() || !ends) {
          return List.of();
        }
        values.get(i).add(value.get());
        at = end;
      }
      at = close + 2;
    }
    List<PredicateView> found = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      found.add(new PredicateView.OneOf(columns.get(i), values.get(i), false));
    }
    return found;
  }
}
