package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import net.sf.jsqlparser.expression.AnyComparisonExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.ExpressionVisitorAdapter;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/**
 * Finds the subqueries in one expression. Places that JSqlParser's visitor does not reach are found
 * out by the count of SELECTs in {@link StatementReader}.
 */
final class NestedQueries extends ExpressionVisitorAdapter<Void> {
  private final QueryReader queries;
  private final List<QueryView> found = new ArrayList<>();
  private @Nullable UnreadableException failure;

  NestedQueries(QueryReader queries) {
    this.queries = queries;
  }

  List<QueryView> in(Expression expression) throws UnreadableException {
    expression.accept(this, null);
    if (failure != null) {
      throw failure;
    }
    return found;
  }

  @Override
  public <S> @Nullable Void visit(ParenthesedSelect select, S context) {
    return add(select);
  }

  @Override
  public <S> @Nullable Void visit(Select select, S context) {
    return add(select);
  }

  @Override
  public <S> @Nullable Void visit(AnyComparisonExpression expression, S context) {
    return expression.getSelect() == null ? null : add(expression.getSelect());
  }

  private @Nullable Void add(Select select) {
    try {
      found.add(queries.query(select));
    } catch (UnreadableException e) {
      failure = e;
    }
    return null;
  }
}
