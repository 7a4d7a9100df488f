package org.pgconcord.gsi;

import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Tuple;

/**
 * How a settlement ended.
 *
 * @param holder of the entry, where the kind says so; never shown to clients
 */
public record Outcome(Kind kind, @Nullable Tuple holder) {
  /** The ends that a settlement can have. */
  public enum Kind {
    /** The entry was missing and is there now. */
    ADDED,
    /** The entry was right, and was locked for the caller if the caller is a writer. */
    KEPT,
    /** The entry named an owner that is gone and names the writer's row now. */
    TAKEN_OVER,
    /** The entry had no owner row and is gone. */
    REMOVED,
    /** Neither an entry nor the owner row that was asked about is there. */
    ABSENT,
    /** The entry names {@code holder}, whose row is there, and another row has the key too. */
    DUPLICATE,
    /** Others kept changing the entry or held its locks too long: to be tried again later. */
    UNSETTLED
  }

  static Outcome of(Kind kind) {
    return new Outcome(kind, null);
  }

  /** True when the lookup table was changed. */
  public boolean changed() {
    return kind == Kind.ADDED || kind == Kind.TAKEN_OVER || kind == Kind.REMOVED;
  }
}
