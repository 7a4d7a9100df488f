package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A SELECT, a set operation or VALUES, reduced to what routing needs: which relations are read at
 * which level, and under which conditions.
 *
 * @param with its CTEs in order
 * @param recursive WITH RECURSIVE: every CTE sees all of them, itself too
 * @param blocks the SELECT arms: one, or those of a set operation
 * @param nested subqueries that see the CTEs but belong to no block: those in ORDER BY, LIMIT or
 *     VALUES
 */
public record QueryView(
    List<Cte> with, boolean recursive, List<Block> blocks, List<QueryView> nested) {
  public QueryView {
    with = List.copyOf(with);
    blocks = List.copyOf(blocks);
    nested = List.copyOf(nested);
  }

  /**
   * A named subquery.
   *
   * @param query what it reads
   * @param write the INSERT, UPDATE or DELETE that it is, whose scope {@code query} then is
   * @param renamed its columns have names of their own
   */
  public record Cte(String name, QueryView query, Optional<StatementView> write, boolean renamed) {}

  /** With these in front of its own CTEs. */
  public QueryView within(List<Cte> before, boolean all) {
    List<Cte> both = new ArrayList<>(before);
    both.addAll(with);
    return new QueryView(both, recursive || all, blocks, nested);
  }

  /** True when a CTE of the outermost level writes. */
  public boolean writes() {
    return with.stream().anyMatch(cte -> cte.write().isPresent());
  }

  /**
   * One SELECT.
   *
   * @param from its FROM items, to be joined without condition
   * @param where conditions that hold for each of its rows
   * @param nested subqueries in its expressions; they see its FROM items
   * @param items its select list, or the RETURNING list of a write; empty when it cannot be told
   *     item by item
   */
  public record Block(
      List<FromView> from,
      List<PredicateView> where,
      List<QueryView> nested,
      Optional<List<ItemView>> items) {
    public Block {
      from = List.copyOf(from);
      where = List.copyOf(where);
      nested = List.copyOf(nested);
      items = items.map(List::copyOf);
    }

    /** Stands for an arm of a set operation that is no plain SELECT: its rows are not known. */
    static Block opaque(QueryView arm) {
      return new Block(List.of(), List.of(), List.of(arm), Optional.empty());
    }
  }
}
