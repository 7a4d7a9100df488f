package org.pgconcord.router.plan;

/** What a statement does with a key's constant; the server converts it by other rules for each. */
public enum KeyUse {
  /** Compared by {@code =}: the operator's types decide. */
  COMPARED,
  /** Stored by INSERT: converted by assignment, which may round and cut. */
  STORED
}
