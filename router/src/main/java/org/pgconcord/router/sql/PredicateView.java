package org.pgconcord.router.sql;

import java.util.List;

/**
 * A condition that must hold for every row that gets past its WHERE or ON clause. Other conditions
 * are not shown: leaving one out only makes a route wider.
 */
public sealed interface PredicateView {
  /** {@code column = constant}, or {@code column IN (constants)}. */
  record OneOf(ColumnView column, List<ConstantView> constants) implements PredicateView {
    public OneOf {
      constants = List.copyOf(constants);
    }

    public boolean isEquality() {
      return constants.size() == 1;
    }
  }

  /** {@code column = column}. */
  record Same(ColumnView left, ColumnView right) implements PredicateView {}
}
