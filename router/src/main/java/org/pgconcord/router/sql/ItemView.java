package org.pgconcord.router.sql;

import java.util.List;

/** One item of a select list, of RETURNING or of GROUP BY, as far as its value can be told. */
public sealed interface ItemView {
  /** {@code *}, or {@code u.*} with the qualifier's parts. */
  record Star(List<String> qualifier) implements ItemView {
    public Star {
      qualifier = List.copyOf(qualifier);
    }
  }

  /** A column and nothing else; {@code label} is the name that it has in the result. */
  record Plain(ColumnView column, String label) implements ItemView {}

  /** A constant; {@code label} is empty without one. */
  record Constant(ConstantView value, String label) implements ItemView {}

  /** Any other expression; {@code label} is empty where PostgreSQL would choose one. */
  record Other(String label) implements ItemView {}

  /** The name of the item's column; empty when it is not known here. */
  default String label() {
    if (this instanceof Plain plain) {
      return plain.label;
    } else if (this instanceof Constant constant) {
      return constant.label;
    }
    return this instanceof Other other ? other.label : "";
  }
}
