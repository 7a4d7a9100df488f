package org.pgconcord.verifier.report;

import com.fasterxml.jackson.annotation.JsonValue;

/** What can be wrong with a key or a row. */
public enum Difference {
  /** An owner row without entry. */
  MISSING,
  /** An entry without owner row. */
  SURPLUS,
  /** The entry names another shard key than the one owner row has. */
  WRONG_OWNER,
  /** Several owner rows have the key. */
  DUPLICATE,
  /** An owner row with a NULL that the index does not allow. */
  NULL_VIOLATION,
  /** An owner row on a shard where its shard key does not belong. */
  MISPLACED;

  /** Lower case, as printed and stored. */
  @JsonValue
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
