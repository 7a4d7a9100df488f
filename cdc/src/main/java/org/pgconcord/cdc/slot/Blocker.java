package org.pgconcord.cdc.slot;

import java.time.Duration;

/**
 * A transaction that the creation of a slot has to wait for.
 *
 * @param who {@code pid 1234} or {@code prepared 'gid'}
 * @param role the role that began it
 * @param state {@code active}, {@code idle in transaction}, {@code prepared} ...
 */
public record Blocker(String who, String role, String state, Duration age) {
  @Override
  public String toString() {
    return who + " (" + role + ", " + state + ", " + age.toSeconds() + " s)";
  }
}
