package org.pgconcord.gsi;

import org.pgconcord.config.schema.Column;
import org.pgconcord.config.sharding.KeyType;
import org.pgconcord.config.value.Identifiers;

/**
 * A column of an owner table that its lookup table has too, under the same name and type, of a
 * domain the type beneath.
 */
public record IndexColumn(Column column, KeyType type) {
  public String name() {
    return column.name();
  }

  public String quoted() {
    return Identifiers.quote(column.name());
  }

  /** The type as SQL takes it. */
  public String sqlType() {
    return column.base().type();
  }
}
