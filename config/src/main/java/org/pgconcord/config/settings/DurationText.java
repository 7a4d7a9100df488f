package org.pgconcord.config.settings;

import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A time as PostgreSQL's settings write it: a whole number and {@code ms}, {@code s} or {@code
 * min}.
 */
final class DurationText {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9}) ?(ms|s|min)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "min", Duration.ofMinutes(1));

  private DurationText() {}

  /**
   * @throws IllegalArgumentException when it is of another form
   */
  static Duration parse(String text) {
    Matcher found = FORM.matcher(text);
    Duration unit = found.matches() ? UNITS.get(found.group(2)) : null;
    if (unit == null) {
      throw new IllegalArgumentException(
          "expected a time such as 30s, 500ms or 2min, found \"" + text + "\"");
    }
    return unit.multipliedBy(Long.parseLong(found.group(1)));
  }
}
