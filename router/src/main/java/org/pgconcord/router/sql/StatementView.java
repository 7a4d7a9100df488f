package org.pgconcord.router.sql;

import java.util.List;
import java.util.Optional;

/** A statement reduced to what routing needs. */
public sealed interface StatementView {

  /** SELECT, VALUES, WITH ... SELECT. */
  record Query(QueryView query) implements StatementView {}

  /**
   * INSERT.
   *
   * @param columns as listed; empty without a list
   * @param rows of VALUES, one value per column; empty unless {@code source} is VALUES
   * @param scope the query that feeds it, and subqueries in its values, as one query
   * @param query the query that feeds it, when that is the source
   * @param conflict ON CONFLICT
   * @param returning its RETURNING list; empty when it cannot be told item by item
   */
  record Insert(
      FromView.Named target,
      List<String> columns,
      Source source,
      List<List<ValueView>> rows,
      QueryView scope,
      Optional<QueryView> query,
      Optional<ConflictView> conflict,
      Optional<List<ItemView>> returning)
      implements StatementView {
    public Insert {
      columns = List.copyOf(columns);
      rows = List.copyOf(rows);
    }

    /** The same, fed by another query. */
    public Insert withQuery(Optional<QueryView> other) {
      return new Insert(target, columns, source, rows, scope, other, conflict, returning);
    }

    /** The same with another ON CONFLICT. */
    public Insert withConflict(ConflictView other) {
      return new Insert(target, columns, source, rows, scope, query, Optional.of(other), returning);
    }
  }

  /** Where the rows of an INSERT come from. */
  enum Source {
    VALUES,
    QUERY,
    DEFAULTS
  }

  /** A value of an INSERT: a constant, DEFAULT, or anything else. */
  sealed interface ValueView {
    /** A constant. */
    record Constant(ConstantView value) implements ValueView {}

    /** DEFAULT. */
    record Default() implements ValueView {}

    /** An expression. */
    record Computed() implements ValueView {}
  }

  /**
   * UPDATE.
   *
   * @param assigned the columns of SET
   * @param scope target and FROM items as one block with the WHERE clause
   * @param from true when there is a FROM clause
   */
  record Update(FromView.Named target, List<String> assigned, QueryView scope, boolean from)
      implements StatementView {
    public Update {
      assigned = List.copyOf(assigned);
    }
  }

  /** DELETE; {@code using} is true when there is a USING clause. */
  record Delete(FromView.Named target, QueryView scope, boolean using) implements StatementView {}

  /** All that it reads. */
  default QueryView scope() {
    if (this instanceof Insert insert) {
      return insert.scope;
    } else if (this instanceof Update update) {
      return update.scope;
    } else if (this instanceof Delete delete) {
      return delete.scope;
    }
    return ((Query) this).query;
  }

  /** The relation that is written; empty for a query. */
  default Optional<FromView.Named> written() {
    if (this instanceof Insert insert) {
      return Optional.of(insert.target());
    } else if (this instanceof Update update) {
      return Optional.of(update.target());
    }
    return this instanceof Delete delete ? Optional.of(delete.target()) : Optional.empty();
  }
}
