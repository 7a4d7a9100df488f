package org.pgconcord.testkit.invariant;

/** One broken promise: which (I1, I2, I3), for which key, and what was seen. */
public record Violation(String invariant, String key, String seen) {
  @Override
  public String toString() {
    return invariant + " key=" + key + ": " + seen;
  }
}
