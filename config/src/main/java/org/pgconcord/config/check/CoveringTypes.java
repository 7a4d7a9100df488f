package org.pgconcord.config.check;

import java.util.Set;
import org.pgconcord.config.schema.Column;

/**
 * The types of which a covering read can answer: two values that are equal are the same bytes, so
 * that an entry which was kept for an equal row shows that row's own value, and they are printed
 * alike under all settings. Not numeric (1.0 and 1.00), float (0 and -0), dates and times
 * (DateStyle), bytea (bytea_output), citext.
 */
public final class CoveringTypes {
  private static final int BPCHAR = 1042;
  private static final Set<Integer> TYPES = Set.of(16, 20, 21, 23, 25, BPCHAR, 1043, 2950);

  private CoveringTypes() {}

  /**
   * Blanks behind a {@code character} of no stated length are kept, and do not count in {@code =}.
   */
  public static boolean has(Column column) {
    return TYPES.contains(column.typeOid())
        && column.deterministic()
        && (column.typeOid() != BPCHAR || column.type().contains("("));
  }
}
