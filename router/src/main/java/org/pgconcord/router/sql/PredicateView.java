package org.pgconcord.router.sql;

import java.util.List;

/**
 * A condition that must hold for every row that gets past its WHERE or ON clause. Other conditions
 * are not shown: leaving one out only makes a route wider.
 */
public sealed interface PredicateView {
  /** The columns that are not NULL in a row that meets the condition. */
  List<ColumnView> columns();

  /**
   * {@code column = constant}, {@code column IN (constants)}, {@code column = ANY (array)}, or what
   * a comparison of rows, or an OR whose alternatives all give it values, says of a column.
   *
   * @param alone the condition says nothing else: false for one column of several in a row
   */
  record OneOf(ColumnView column, List<ConstantView> constants, boolean alone)
      implements PredicateView {
    public OneOf {
      constants = List.copyOf(constants);
    }

    @Override
    public List<ColumnView> columns() {
      return List.of(column);
    }

    OneOf(ColumnView column, List<ConstantView> constants) {
      this(column, constants, true);
    }

    /** It is a condition {@code column = constant}. */
    public boolean isEquality() {
      return alone && isSingle();
    }

    /** The column has one value, which is written in the statement or is a parameter's. */
    public boolean isSingle() {
      return constants.size() == 1 && !(constants.get(0) instanceof ConstantView.Each);
    }
  }

  /**
   * {@code column < constant} and its like, or BETWEEN.
   *
   * @param bounds what the column's value is compared with
   */
  record Within(ColumnView column, List<ConstantView.Bound> bounds) implements PredicateView {
    public Within {
      bounds = List.copyOf(bounds);
    }

    @Override
    public List<ColumnView> columns() {
      return List.of(column);
    }
  }

  /** {@code column = column}. */
  record Same(ColumnView left, ColumnView right) implements PredicateView {
    @Override
    public List<ColumnView> columns() {
      return List.of(left, right);
    }
  }
}
