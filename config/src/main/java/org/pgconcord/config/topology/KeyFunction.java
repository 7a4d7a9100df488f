package org.pgconcord.config.topology;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a shard index makes of a column's value before it routes by it: a closed list of immutable
 * functions that are computed here exactly as PostgreSQL does. {@code lower} and {@code upper} are
 * so only under the collations C and POSIX, where they change ASCII letters and nothing else; under
 * others the result depends on the server's libraries and their versions.
 */
public enum KeyFunction {
  /** The value itself. */
  NONE,
  LOWER,
  UPPER;

  private static final Pattern CALL =
      Pattern.compile("(?i)(lower|upper)\\(\\s*([\\p{L}_][\\p{L}\\p{N}_$]*)\\s*\\)");

  /** A call as a document writes it. */
  record Call(KeyFunction function, String column) {}

  /** Empty for a text that is not a call of one of the functions on a column. */
  static Optional<Call> call(String text) {
    Matcher call = CALL.matcher(text.strip());
    return call.matches()
        ? Optional.of(
            new Call(valueOf(call.group(1).toUpperCase(java.util.Locale.ROOT)), call.group(2)))
        : Optional.empty();
  }

  /** The function's result for a text. */
  public String apply(String text) {
    return switch (this) {
      case NONE -> text;
      case LOWER -> shifted(text, 'A', 'a');
      case UPPER -> shifted(text, 'a', 'A');
    };
  }

  private static String shifted(String text, char from, char to) {
    StringBuilder result = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      result.append(c >= from && c < from + 26 ? (char) (c - from + to) : c);
    }
    return result.toString();
  }
}
