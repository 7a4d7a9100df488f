package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.ParenthesedStatement;
import net.sf.jsqlparser.statement.ReturningClause;
import net.sf.jsqlparser.statement.Statement;
import net.sf.jsqlparser.statement.delete.Delete;
import net.sf.jsqlparser.statement.delete.ParenthesedDelete;
import net.sf.jsqlparser.statement.insert.Insert;
import net.sf.jsqlparser.statement.insert.InsertConflictAction;
import net.sf.jsqlparser.statement.insert.ParenthesedInsert;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.select.WithItem;
import net.sf.jsqlparser.statement.update.ParenthesedUpdate;
import net.sf.jsqlparser.statement.update.Update;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/** Turns JSqlParser's tree of one statement into a {@link StatementView}. */
final class TreeReader {
  private final QueryReader queries;
  private final PredicateReader predicates;
  private final ItemReader items;
  private final ConflictReader conflicts;
  private final Clauses clauses;

  TreeReader(Tokens tokens, Clauses clauses, AnalysisText text) {
    this.predicates = new PredicateReader(tokens, clauses, text);
    this.items = new ItemReader(tokens, clauses, text, predicates);
    this.queries = new QueryReader(text, predicates, items);
    this.conflicts = new ConflictReader(tokens, clauses);
    this.clauses = clauses;
  }

  /** How many SELECTs have been visited. */
  int selects() {
    return queries.selects();
  }

  StatementView statement(Statement tree) throws UnreadableException {
    if (tree instanceof Select select) {
      return new StatementView.Query(queries.outermost(select, this::write));
    } else if (tree instanceof Insert insert) {
      return insert(insert);
    } else if (tree instanceof Update update) {
      return update(update);
    } else if (tree instanceof Delete delete) {
      return delete(delete);
    }
    throw new UnreadableException("this kind of statement");
  }

  /** A CTE's statement. */
  private StatementView write(ParenthesedStatement tree) throws UnreadableException {
    if (tree instanceof ParenthesedInsert insert && insert.getInsert() != null) {
      return insert(insert.getInsert());
    } else if (tree instanceof ParenthesedUpdate update && update.getUpdate() != null) {
      return update(update.getUpdate());
    } else if (tree instanceof ParenthesedDelete delete && delete.getDelete() != null) {
      return delete(delete.getDelete());
    }
    throw UnreadableException.writingCte("this CTE");
  }

  private QueryView with(@Nullable List<WithItem<?>> items, QueryView main)
      throws UnreadableException {
    List<QueryView.Cte> with = new ArrayList<>();
    boolean recursive = queries.with(items, this::write, with);
    return main.within(with, recursive);
  }

  private StatementView insert(Insert insert) throws UnreadableException {
    if (insert.isOracleMultiInsert()
        || insert.isOverwrite()
        || insert.getPartitions() != null
        || insert.getDuplicateUpdateSets() != null) {
      throw new UnreadableException("this form of INSERT");
    }
    List<String> columns = new ArrayList<>();
    if (insert.getColumns() != null) {
      for (Column column : insert.getColumns()) {
        columns.add(plainColumn(column));
      }
    }
    List<List<StatementView.ValueView>> rows = new ArrayList<>();
    StatementView.Source source = StatementView.Source.DEFAULTS;
    List<QueryView> nested = new ArrayList<>();
    Optional<QueryView> query = Optional.empty();
    if (insert.getSelect() instanceof Values values && !isCut(insert.getTable())) {
      source = StatementView.Source.VALUES;
      rows(values, rows);
      nested.add(queries.query(values));
    } else if (insert.getSelect() != null) {
      source = StatementView.Source.QUERY;
      query = Optional.of(queries.query(QueryReader.inside(insert.getSelect())));
      nested.add(query.get());
    } else if (!insert.isOnlyDefaultValues()) {
      throw new UnreadableException("this form of INSERT");
    }
    FromView.Named target = queries.named(insert.getTable());
    Optional<ConflictView> conflict = conflict(insert, target, nested);
    nested.addAll(returning(insert.getReturningClause()));
    return new StatementView.Insert(
        target,
        columns,
        source,
        rows,
        with(insert.getWithItemsList(), new QueryView(List.of(), false, List.of(), nested)),
        query,
        conflict,
        returned(insert.getReturningClause()));
  }

  /** {@code VALUES (1), (2) ORDER BY 1 LIMIT 1} is a query: not all of its rows are inserted. */
  private boolean isCut(Table target) throws UnreadableException {
    return clauses.follows(queries.named(target).token(), Keywords.AFTER_VALUES);
  }

  private Optional<ConflictView> conflict(
      Insert insert, FromView.Named target, List<QueryView> nested) throws UnreadableException {
    InsertConflictAction action = insert.getConflictAction();
    if (action == null) {
      return Optional.empty();
    }
    List<String> assigned = new ArrayList<>();
    if (action.getUpdateSets() != null) {
      for (UpdateSet set : action.getUpdateSets()) {
        for (Column column : set.getColumns()) {
          assigned.add(plainColumn(column));
        }
        nested.addAll(queries.nestedIn(set.getValues()));
      }
    }
    nested.addAll(queries.nestedIn(action.getWhereExpression()));
    return Optional.of(conflicts.read(clauses.around(target.token()), assigned));
  }

  private void rows(Values values, List<List<StatementView.ValueView>> rows) {
    ExpressionList<?> list = values.getExpressions();
    boolean single = list instanceof ParenthesedExpressionList;
    if (single) {
      rows.add(row(list));
      return;
    }
    for (Expression row : list) {
      rows.add(
          row instanceof ExpressionList<?> items ? row(items) : row(new ExpressionList<>(row)));
    }
  }

  private List<StatementView.ValueView> row(ExpressionList<?> items) {
    List<StatementView.ValueView> row = new ArrayList<>();
    for (Expression item : items) {
      Optional<ConstantView> constant = predicates.constant(item);
      if (constant.isPresent()) {
        row.add(new StatementView.ValueView.Constant(constant.get()));
      } else if (item instanceof Column column
          && column.getTable() == null
          && Names.ofSource(column.getColumnName()).equals("default")) {
        row.add(new StatementView.ValueView.Default());
      } else {
        row.add(new StatementView.ValueView.Computed());
      }
    }
    return row;
  }

  private StatementView update(Update update) throws UnreadableException {
    if (update.getStartJoins() != null && !update.getStartJoins().isEmpty()) {
      throw new UnreadableException("this form of UPDATE");
    }
    FromView.Named target = queries.named(update.getTable());
    List<String> assigned = new ArrayList<>();
    List<QueryView> nested = new ArrayList<>();
    for (UpdateSet set : update.getUpdateSets()) {
      for (Column column : set.getColumns()) {
        assigned.add(plainColumn(column));
      }
      nested.addAll(queries.nestedIn(set.getValues()));
    }
    List<FromView> from = new ArrayList<>();
    from.add(target);
    boolean hasFrom = update.getFromItem() != null;
    if (hasFrom) {
      from.addAll(queries.from(update.getFromItem(), update.getJoins(), nested));
    }
    nested.addAll(returning(update.getReturningClause()));
    QueryView scope = scope(from, update.getWhere(), nested, update.getReturningClause());
    return new StatementView.Update(
        target, assigned, with(update.getWithItemsList(), scope), hasFrom);
  }

  private StatementView delete(Delete delete) throws UnreadableException {
    if (delete.getTables() != null && !delete.getTables().isEmpty()) {
      throw new UnreadableException("this form of DELETE");
    }
    FromView.Named target = queries.named(delete.getTable());
    List<QueryView> nested = new ArrayList<>(returning(delete.getReturningClause()));
    List<FromView> from = new ArrayList<>();
    from.add(target);
    List<FromItem> using = delete.getUsingFromItemList();
    List<Join> joins = delete.getJoins();
    boolean hasUsing = using != null && !using.isEmpty();
    if (hasUsing) {
      for (FromItem item : using) {
        from.addAll(queries.from(item, null, nested));
      }
    }
    if (joins != null && !joins.isEmpty()) {
      throw new UnreadableException("a join in DELETE");
    }
    QueryView scope = scope(from, delete.getWhere(), nested, delete.getReturningClause());
    return new StatementView.Delete(target, with(delete.getWithItemsList(), scope), hasUsing);
  }

  private QueryView scope(
      List<FromView> from,
      @Nullable Expression where,
      List<QueryView> nested,
      @Nullable ReturningClause returning)
      throws UnreadableException {
    nested.addAll(queries.nestedIn(where));
    QueryView.Block block =
        new QueryView.Block(from, predicates.conjuncts(where), nested, returned(returning));
    return new QueryView(List.of(), false, List.of(block), List.of());
  }

  private List<QueryView> returning(@Nullable ReturningClause clause) throws UnreadableException {
    List<QueryView> nested = new ArrayList<>();
    if (clause != null) {
      for (SelectItem<?> item : clause) {
        nested.addAll(queries.nestedIn(item.getExpression()));
      }
    }
    return nested;
  }

  private Optional<List<ItemView>> returned(@Nullable ReturningClause clause) {
    return items.selected(clause, "returning");
  }

  /** Elements and fields are gone from the analysed text; what is left of one was not seen. */
  private String plainColumn(Column column) throws UnreadableException {
    if ((column.getTable() != null && column.getTable().getName() != null)
        || column.getArrayConstructor() != null) {
      throw new UnreadableException("a field or an element of a column as target");
    }
    return Names.ofSource(column.getColumnName());
  }
}
