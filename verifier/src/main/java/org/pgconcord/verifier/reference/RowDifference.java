package org.pgconcord.verifier.reference;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;

/**
 * A row that differs from the leading copy's.
 *
 * @param key its primary key's values as text; all values where the table has no primary key
 * @param columns for {@link Kind#DIFFERENT} the columns that differ, in the table's order
 */
public record RowDifference(Kind difference, List<String> key, List<String> columns) {
  public RowDifference {
    key = List.copyOf(key);
    columns = List.copyOf(columns);
  }

  /** How a row differs. */
  public enum Kind {
    MISSING,
    SURPLUS,
    DIFFERENT;

    /** Lower case, as printed and stored. */
    @JsonValue
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
