package org.pgconcord.testkit.invariant;

/** One broken promise: which of the numbered ones, for which key or copy, and what was seen. */
public record Violation(String invariant, String key, String seen) {
  @Override
  public String toString() {
    return invariant + " key=" + key + ": " + seen;
  }
}
