package org.pgconcord.config.sharding;

import java.math.RoundingMode;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The modifier of a column's type and what storing does because of it.
 *
 * @param first the length, precision, or number of fractional digits of a timestamp
 * @param second the scale of a numeric; 0 when only a precision is given
 */
record TypeModifier(OptionalInt first, int second) {
  private static final Pattern FORM = Pattern.compile("\\((\\d+)(?:,(-?\\d+))?\\)");

  static TypeModifier of(String formattedType) {
    Matcher form = FORM.matcher(formattedType);
    if (!form.find()) {
      return new TypeModifier(OptionalInt.empty(), 0);
    }
    String scale = form.group(2);
    return new TypeModifier(
        OptionalInt.of(Integer.parseInt(form.group(1))),
        scale == null ? 0 : Integer.parseInt(scale));
  }

  /** The text of the stored value; empty when it is not certain. */
  Optional<String> apply(KeyType column, String text) {
    if (first.isEmpty()) {
      return Optional.of(text);
    }
    return switch (column) {
      case TEXT -> cut(text, first.getAsInt());
      case NUMERIC -> round(text);
      case TIMESTAMP, TIMESTAMPTZ -> exactFraction(text, first.getAsInt());
      default -> Optional.of(text);
    };
  }

  /** Characters beyond the length are an error unless they are blanks, which are dropped. */
  private static Optional<String> cut(String text, int length) {
    if (text.codePointCount(0, text.length()) <= length) {
      return Optional.of(text);
    }
    int end = text.offsetByCodePoints(0, length);
    return text.substring(end).chars().allMatch(c -> c == ' ')
        ? Optional.of(text.substring(0, end))
        : Optional.empty();
  }

  private Optional<String> round(String text) {
    return ComparedKey.number(text).isEmpty()
        ? Optional.of(text)
        : StoredKey.decimal(text)
            .map(d -> d.setScale(second, RoundingMode.HALF_UP).toPlainString());
  }

  private static Optional<String> exactFraction(String text, int digits) {
    Matcher fraction = Pattern.compile("\\.(\\d+)").matcher(text);
    boolean exact =
        !fraction.find() || fraction.group(1).replaceFirst("0+$", "").length() <= digits;
    return exact ? Optional.of(text) : Optional.empty();
  }
}
