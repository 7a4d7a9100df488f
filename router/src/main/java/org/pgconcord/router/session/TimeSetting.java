package org.pgconcord.router.session;

import java.time.Duration;
import java.util.Map;

/** Reads a time as SHOW prints it: a number and its unit, milliseconds without one; 0 is none. */
final class TimeSetting {
  private static final Map<String, Long> MICROS =
      Map.of(
          "us", 1L,
          "", 1_000L,
          "ms", 1_000L,
          "s", 1_000_000L,
          "min", 60_000_000L,
          "h", 3_600_000_000L,
          "d", 86_400_000_000L);

  private TimeSetting() {}

  /** Zero for what is no time. */
  static Duration parse(String shown) {
    String text = shown.trim();
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    Long unit = MICROS.get(text.substring(digits).trim());
    if (digits == 0 || digits > 12 || unit == null) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.multiplyExact(Long.parseLong(text.substring(0, digits)), unit))
        .multipliedBy(1_000);
  }
}
