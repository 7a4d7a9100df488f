package org.pgconcord.router.session;

import java.time.Duration;
import java.util.Optional;

/**
 * How old a replica's state may be for a statement to be answered from it: {@code
 * pgconcord.max_replica_lag}.
 */
final class ReplicaLag {
  static final String SETTING = "pgconcord.max_replica_lag";
  static final Duration DEFAULT = Duration.ofSeconds(30);

  /** Below that the time between two looks at the primary decides. */
  private static final Duration LEAST = Duration.ofSeconds(1);

  private static final Duration MOST = Duration.ofMinutes(15);

  private ReplicaLag() {}

  static Optional<Duration> of(String word) {
    Duration lag = TimeSetting.parse(word);
    return lag.compareTo(LEAST) < 0 || lag.compareTo(MOST) > 0
        ? Optional.empty()
        : Optional.of(lag);
  }
}
