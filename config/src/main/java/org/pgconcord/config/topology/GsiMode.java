package org.pgconcord.config.topology;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How much of SQL an index's owner takes. */
public enum GsiMode {
  /** What the limits table of the format's authors allows. */
  STRICT,
  /** Everything whose entries can be kept true. */
  EXTENDED;

  /** The word in the document. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Optional<GsiMode> of(String word) {
    return Arrays.stream(values()).filter(mode -> mode.word().equals(word)).findFirst();
  }
}
