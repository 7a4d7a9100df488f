package org.pgconcord.config.atomic;

import java.util.Locale;

/** The transactions of one write, in the order of their commits. */
public enum Part {
  /** New entries, on a lookup's shard. */
  PRE,
  /** Rows. */
  MAIN,
  /** Rows, and the lock that keeps other writers from a reference table written here. */
  LEAD,
  /** Removed and moved entries, on a lookup's shard. */
  POST;

  /** As in gids, in the catalog and in JSON. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Part of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
