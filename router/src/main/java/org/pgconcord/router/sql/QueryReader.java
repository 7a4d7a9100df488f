package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.WindowDefinition;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.ParenthesedStatement;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.GroupByElement;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.LateralSubSelect;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.ParenthesedSelect;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.SetOperationList;
import net.sf.jsqlparser.statement.select.TableFunction;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.select.WithItem;
import org.jspecify.annotations.Nullable;

/** Turns JSqlParser's SELECT trees into {@link QueryView}s. */
final class QueryReader {
  private final AnalysisText text;
  private final PredicateReader predicates;
  private final ItemReader items;
  private int selects;

  QueryReader(AnalysisText text, PredicateReader predicates, ItemReader items) {
    this.text = text;
    this.predicates = predicates;
    this.items = items;
  }

  int selects() {
    return selects;
  }

  QueryView query(Select select) throws UnreadableException {
    return outermost(select, NONE);
  }

  /** Reads the statement of a CTE that writes. */
  interface Writes {
    StatementView read(ParenthesedStatement statement) throws UnreadableException;
  }

  private static final Writes NONE =
      statement -> {
        throw UnreadableException.writingCte("a writing CTE below the outermost level");
      };

  /** A query whose CTEs may write, as those of the outermost level may. */
  QueryView outermost(Select select, Writes writes) throws UnreadableException {
    List<QueryView.Cte> with = new ArrayList<>();
    boolean recursive = with(select.getWithItemsList(), writes, with);
    List<QueryView.Block> blocks = new ArrayList<>();
    List<QueryView> nested = new ArrayList<>();
    body(select, blocks, nested);
    tail(select, nested);
    return new QueryView(with, recursive, blocks, nested);
  }

  /** Adds the CTEs in order; true for WITH RECURSIVE. */
  boolean with(@Nullable List<WithItem<?>> items, Writes writes, List<QueryView.Cte> with)
      throws UnreadableException {
    boolean recursive = false;
    if (items == null) {
      return false;
    }
    for (WithItem<?> item : items) {
      recursive |= item.isRecursive();
      String name = Names.ofSource(item.getAliasName());
      boolean renamed = item.getWithItemList() != null && !item.getWithItemList().isEmpty();
      if (item.getParenthesedStatement() instanceof ParenthesedSelect query) {
        with.add(new QueryView.Cte(name, query(inside(query)), Optional.empty(), renamed));
      } else {
        StatementView write = writes.read(item.getParenthesedStatement());
        with.add(new QueryView.Cte(name, write.scope(), Optional.of(write), renamed));
      }
    }
    return recursive;
  }

  /** What the parentheses of a subquery hold, where nothing stands behind them. */
  static Select inside(Select select) {
    boolean only =
        select instanceof ParenthesedSelect
            && select.getWithItemsList() == null
            && select.getOrderByElements() == null
            && select.getLimit() == null
            && select.getOffset() == null
            && select.getFetch() == null;
    return only ? inside(((ParenthesedSelect) select).getSelect()) : select;
  }

  private void body(Select select, List<QueryView.Block> blocks, List<QueryView> nested)
      throws UnreadableException {
    if (select instanceof PlainSelect plain) {
      blocks.add(block(plain));
    } else if (select instanceof SetOperationList operation) {
      for (Select arm : operation.getSelects()) {
        if (arm instanceof PlainSelect plain && arm.getWithItemsList() == null) {
          blocks.add(block(plain));
          tail(plain, nested);
        } else {
          blocks.add(QueryView.Block.opaque(query(arm)));
        }
      }
    } else if (select instanceof ParenthesedSelect inner) {
      nested.add(query(inner.getSelect()));
    } else if (select instanceof Values values) {
      nested.addAll(nestedIn(values.getExpressions()));
    } else {
      throw new UnreadableException("this form of query");
    }
  }

  /** ORDER BY and LIMIT, which any form of SELECT may have. */
  private void tail(Select select, List<QueryView> nested) throws UnreadableException {
    orderBy(select.getOrderByElements(), nested);
    if (select.getLimit() != null) {
      nested.addAll(nestedIn(select.getLimit().getRowCount()));
      nested.addAll(nestedIn(select.getLimit().getOffset()));
    }
    if (select.getOffset() != null) {
      nested.addAll(nestedIn(select.getOffset().getOffset()));
    }
    if (select.getFetch() != null) {
      nested.addAll(nestedIn(select.getFetch().getExpression()));
    }
  }

  private void orderBy(@Nullable List<OrderByElement> order, List<QueryView> nested)
      throws UnreadableException {
    if (order != null) {
      for (OrderByElement element : order) {
        nested.addAll(nestedIn(element.getExpression()));
      }
    }
  }

  private QueryView.Block block(PlainSelect select) throws UnreadableException {
    selects++;
    if (select.getIntoTables() != null && !select.getIntoTables().isEmpty()) {
      throw new UnreadableException("SELECT INTO");
    }
    if (select.getPreWhere() != null
        || select.getQualify() != null
        || select.getTop() != null
        || select.getOracleHierarchical() != null
        || (select.getLateralViews() != null && !select.getLateralViews().isEmpty())) {
      throw new UnreadableException("a clause that PostgreSQL does not have");
    }
    List<QueryView> nested = new ArrayList<>();
    List<FromView> from = List.of();
    if (select.getFromItem() != null) {
      from = from(select.getFromItem(), select.getJoins(), nested);
    }
    if (select.getSelectItems() != null) {
      for (SelectItem<?> item : select.getSelectItems()) {
        nested.addAll(nestedIn(item.getExpression()));
      }
    }
    if (select.getDistinct() != null && select.getDistinct().getOnSelectItems() != null) {
      for (SelectItem<?> item : select.getDistinct().getOnSelectItems()) {
        nested.addAll(nestedIn(item.getExpression()));
      }
    }
    nested.addAll(nestedIn(select.getWhere()));
    nested.addAll(nestedIn(select.getHaving()));
    groupBy(select.getGroupBy(), nested);
    windows(select.getWindowDefinitions(), nested);
    return new QueryView.Block(
        from,
        predicates.conjuncts(select.getWhere()),
        nested,
        items.selected(select.getSelectItems(), "select"));
  }

  private void groupBy(@Nullable GroupByElement group, List<QueryView> nested)
      throws UnreadableException {
    if (group != null && group.getGroupByExpressionList() != null) {
      nested.addAll(nestedIn(group.getGroupByExpressionList()));
    }
  }

  private void windows(@Nullable List<WindowDefinition> windows, List<QueryView> nested)
      throws UnreadableException {
    if (windows != null) {
      for (WindowDefinition window : windows) {
        for (Expression expression : window.getAllExpressions()) {
          nested.addAll(nestedIn(expression));
        }
      }
    }
  }

  /** The FROM items of a clause; commas separate them, joins bind tighter. */
  List<FromView> from(FromItem first, @Nullable List<Join> joins, List<QueryView> nested)
      throws UnreadableException {
    List<FromView> items = new ArrayList<>();
    FromView current = item(first, nested);
    if (joins != null) {
      for (Join join : joins) {
        FromView right = item(join.getFromItem(), nested);
        if (join.isSimple()) {
          items.add(current);
          current = right;
        } else {
          current = joined(join, current, right, nested);
        }
      }
    }
    items.add(current);
    return items;
  }

  private FromView joined(Join join, FromView left, FromView right, List<QueryView> nested)
      throws UnreadableException {
    if (join.isApply() || join.isSemi() || join.isStraight() || join.isGlobal() || join.isAsOf()) {
      throw new UnreadableException("a join that PostgreSQL does not have");
    }
    Collection<Expression> on = join.getOnExpressions();
    if (on != null && on.size() > 1) {
      throw new UnreadableException("joins nested without parentheses");
    }
    List<PredicateView> conditions = new ArrayList<>();
    if (on != null) {
      for (Expression condition : on) {
        nested.addAll(nestedIn(condition));
        conditions.addAll(predicates.conjuncts(condition));
      }
    }
    List<String> using = new ArrayList<>();
    if (join.getUsingColumns() != null) {
      for (Column column : join.getUsingColumns()) {
        using.add(Names.ofSource(column.getColumnName()));
      }
    }
    boolean merged = join.isNatural() || !using.isEmpty();
    return new FromView.Joined(kind(join), left, right, conditions, using, merged);
  }

  private static FromView.Kind kind(Join join) {
    if (join.isFull()) {
      return FromView.Kind.FULL;
    } else if (join.isLeft()) {
      return FromView.Kind.LEFT;
    }
    return join.isRight() ? FromView.Kind.RIGHT : FromView.Kind.INNER;
  }

  private FromView item(FromItem item, List<QueryView> nested) throws UnreadableException {
    if (item.getPivot() != null || item.getUnPivot() != null) {
      throw new UnreadableException("PIVOT");
    }
    if (item instanceof Table table) {
      return named(table);
    } else if (item instanceof ParenthesedSelect select) {
      boolean lateral = select instanceof LateralSubSelect;
      Alias alias = select.getAlias();
      boolean renamed = alias != null && alias.getAliasColumns() != null;
      return new FromView.Derived(query(inside(select)), alias(alias, ""), lateral, renamed);
    } else if (item instanceof ParenthesedFromItem parenthesised) {
      return parenthesised(parenthesised, nested);
    } else if (item instanceof TableFunction function) {
      for (Expression call : function.getFunctions()) {
        nested.addAll(nestedIn(call));
      }
      return new FromView.Computed(alias(function.getAlias(), ""));
    } else if (item instanceof Values values) {
      return values(values, values.getAlias());
    }
    throw new UnreadableException("this kind of FROM item");
  }

  private FromView values(Values values, @Nullable Alias alias) throws UnreadableException {
    boolean renamed = alias != null && alias.getAliasColumns() != null;
    return new FromView.Derived(query(values), alias(alias, ""), false, renamed);
  }

  /** An alias over a join hides the names inside it, which nothing here accounts for. */
  private FromView parenthesised(ParenthesedFromItem item, List<QueryView> nested)
      throws UnreadableException {
    if (item.getFromItem() instanceof Values values
        && values.getAlias() == null
        && (item.getJoins() == null || item.getJoins().isEmpty())) {
      return values(values, item.getAlias());
    } else if (item.getAlias() != null) {
      throw new UnreadableException("an alias for a join");
    }
    List<FromView> items = from(item.getFromItem(), item.getJoins(), nested);
    if (items.size() != 1) {
      throw new UnreadableException("a list in parentheses");
    }
    return items.get(0);
  }

  FromView.Named named(Table table) throws UnreadableException {
    List<String> parts = new ArrayList<>();
    for (int i = table.getNameParts().size() - 1; i >= 0; i--) {
      String part = table.getNameParts().get(i);
      if (part != null) {
        parts.add(Names.ofSource(part));
      }
    }
    if (parts.isEmpty() || parts.size() > 2) {
      throw new UnreadableException("a table's name of three parts");
    }
    String own = parts.get(parts.size() - 1);
    Alias alias = table.getAlias();
    boolean renamed = alias != null && alias.getAliasColumns() != null;
    int token =
        table.getASTNode() == null
            ? -1
            : text.tokenAt(table.getASTNode().jjtGetFirstToken().absoluteBegin - 1);
    return new FromView.Named(parts, alias(alias, own), renamed, token);
  }

  private static String alias(@Nullable Alias alias, String otherwise) {
    return alias == null ? otherwise : Names.ofSource(alias.getName());
  }

  /** The subqueries in an expression. */
  List<QueryView> nestedIn(@Nullable Expression expression) throws UnreadableException {
    return expression == null ? List.of() : new NestedQueries(this).in(expression);
  }
}
