package org.pgconcord.config.schema;

import java.util.List;

/**
 * A valid unique index over plain columns.
 *
 * @param index the index's name
 * @param columns in index order
 * @param primary true for the primary key
 * @param usable false when the index is partial, deferrable, not valid, or has an expression: it
 *     then proves nothing about the whole table
 */
public record UniqueKey(String index, List<String> columns, boolean primary, boolean usable) {
  public UniqueKey {
    columns = List.copyOf(columns);
  }
}
