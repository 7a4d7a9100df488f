package org.pgconcord.gsi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns of one row that somebody knows, by name, in PostgreSQL's text form; a null value is
 * SQL's NULL. A column that is absent is not known (an unchanged TOAST value, an image that the
 * replica identity cut short), which is not the same.
 */
public record RowImage(Map<String, @Nullable String> values) {
  public RowImage {
    values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
  }

  public boolean knows(String column) {
    return values.containsKey(column);
  }

  /**
   * The value of a known column.
   *
   * @throws IllegalArgumentException when the image does not have the column
   */
  public @Nullable String value(String column) {
    if (!knows(column)) {
      throw new IllegalArgumentException("the row image lacks column " + column);
    }
    return values.get(column);
  }
}
