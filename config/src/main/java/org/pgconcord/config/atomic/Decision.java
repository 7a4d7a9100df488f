package org.pgconcord.config.atomic;

import java.util.Locale;

/** How a transaction ends. */
public enum Decision {
  COMMIT,
  ABORT;

  /** As in the catalog and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The statement that ends a prepared transaction so. */
  String sql() {
    return this == COMMIT ? "COMMIT PREPARED " : "ROLLBACK PREPARED ";
  }

  static Decision of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
