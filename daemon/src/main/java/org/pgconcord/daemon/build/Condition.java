package org.pgconcord.daemon.build;

import org.jspecify.annotations.Nullable;

/**
 * One thing that enabling an index needs.
 *
 * @param detail what was seen, where it is not met or worth saying
 */
public record Condition(String name, boolean met, @Nullable String detail) {
  static Condition of(String name, boolean met, String seen) {
    return new Condition(name, met, met ? null : seen);
  }

  /** {@code name: detail}, one line of a refusal. */
  public String line() {
    return detail == null ? name : name + ": " + detail;
  }
}
