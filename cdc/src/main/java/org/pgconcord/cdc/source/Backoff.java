package org.pgconcord.cdc.source;

import java.time.Duration;

/** Growing pauses between starts; a start that delivered something begins again at the first. */
final class Backoff {
  private static final Duration FIRST = Duration.ofMillis(200);
  private static final Duration LONGEST = Duration.ofSeconds(15);

  private int failures;

  Duration next() {
    long millis = FIRST.toMillis() << Math.min(failures++, 10);
    return millis > LONGEST.toMillis() ? LONGEST : Duration.ofMillis(millis);
  }

  int failures() {
    return failures;
  }

  void reset() {
    failures = 0;
  }
}
