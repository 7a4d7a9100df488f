package org.pgconcord.router.sql;

import java.util.List;

/** One item of a FROM clause. */
public sealed interface FromView {

  /**
   * A named relation, or a CTE.
   *
   * @param name one part, or schema and name; folded
   * @param alias folded; the relation's own name without an alias
   * @param renamed true when the alias renames columns: {@code users AS u(a, b)}
   */
  record Named(List<String> name, String alias, boolean renamed, int token) implements FromView {
    public Named {
      name = List.copyOf(name);
    }
  }

  /**
   * A subquery.
   *
   * @param alias empty without one
   * @param renamed true when the alias renames columns
   */
  record Derived(QueryView query, String alias, boolean lateral, boolean renamed)
      implements FromView {}

  /** A function, {@code ROWS FROM} or the like; its subqueries are among the block's nested. */
  record Computed(String alias) implements FromView {}

  /**
   * A join. Comma-separated items are inner joins without a condition.
   *
   * @param on what its condition is known to demand
   * @param using the columns of USING
   * @param merged true for NATURAL and USING: their columns appear once, so that an unqualified
   *     name may mean either side
   */
  record Joined(
      Kind kind,
      FromView left,
      FromView right,
      List<PredicateView> on,
      List<String> using,
      boolean merged)
      implements FromView {
    public Joined {
      on = List.copyOf(on);
      using = List.copyOf(using);
    }
  }

  /** Which sides of a join keep rows without a match. */
  enum Kind {
    INNER,
    LEFT,
    RIGHT,
    FULL
  }
}
