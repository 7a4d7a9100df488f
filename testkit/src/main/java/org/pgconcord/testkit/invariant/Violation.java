package org.pgconcord.testkit.invariant;

/** One broken promise: which (I1 to I3, I5), for which key or copy, and what was seen. */
public record Violation(String invariant, String key, String seen) {
  @Override
  public String toString() {
    return invariant + " key=" + key + ": " + seen;
  }
}
