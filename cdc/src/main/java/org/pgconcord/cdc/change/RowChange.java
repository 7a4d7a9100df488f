package org.pgconcord.cdc.change;

import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.TableName;
import org.pgconcord.gsi.RowImage;

/**
 * One row changed, or a table emptied.
 *
 * @param before the old row as far as the replica identity carries it; null for INSERT and TRUNCATE
 * @param after the new row; null for DELETE and TRUNCATE
 */
public record RowChange(
    TableName table, Kind kind, @Nullable RowImage before, @Nullable RowImage after) {
  /** What happened to the row. */
  public enum Kind {
    INSERT,
    UPDATE,
    DELETE,
    TRUNCATE
  }

  public RowChange {
    boolean hasBefore = kind == Kind.UPDATE || kind == Kind.DELETE;
    boolean hasAfter = kind == Kind.INSERT || kind == Kind.UPDATE;
    if ((before != null) != hasBefore || (after != null) != hasAfter) {
      throw new IllegalArgumentException(kind + " of " + table + " with the wrong row images");
    }
  }

  public static RowChange insert(TableName table, RowImage after) {
    return new RowChange(table, Kind.INSERT, null, after);
  }

  public static RowChange update(TableName table, RowImage before, RowImage after) {
    return new RowChange(table, Kind.UPDATE, before, after);
  }

  public static RowChange delete(TableName table, RowImage before) {
    return new RowChange(table, Kind.DELETE, before, null);
  }

  public static RowChange truncate(TableName table) {
    return new RowChange(table, Kind.TRUNCATE, null, null);
  }
}
