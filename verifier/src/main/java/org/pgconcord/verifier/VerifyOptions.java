package org.pgconcord.verifier;

import java.time.Duration;

/**
 * Limits of a verification.
 *
 * @param streamLimit how long a stream may take to pass a position; its shard is skipped then
 * @param lockTimeout how long one lock of a key may take; the key is in flight then
 * @param rounds how often a suspect is looked at again before it counts
 * @param pause between two rounds, longer with each
 * @param samplesPerKind how many differences of one kind are named
 */
public record VerifyOptions(
    Duration streamLimit, Duration lockTimeout, int rounds, Duration pause, int samplesPerKind) {
  public static VerifyOptions defaults() {
    return new VerifyOptions(
        Duration.ofSeconds(60), Duration.ofSeconds(5), 5, Duration.ofMillis(100), 20);
  }
}
