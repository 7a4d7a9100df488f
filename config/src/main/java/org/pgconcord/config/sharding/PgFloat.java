package org.pgconcord.config.sharding;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Floating-point texts as PostgreSQL reads them: Java's parser rounds alike, but also takes type
 * suffixes and hexadecimal, and lets values overflow to infinity or vanish to zero where PostgreSQL
 * raises 22003.
 */
final class PgFloat {
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

  private PgFloat() {}

  static double float8(String text) {
    String word = text.trim();
    Double special = special(word);
    if (special != null) {
      return special;
    }
    double value = Double.parseDouble(decimal(word));
    check(value, word);
    return value;
  }

  static double float4(String text) {
    String word = text.trim();
    Double special = special(word);
    if (special != null) {
      return special;
    }
    float value = Float.parseFloat(decimal(word));
    check(value, word);
    return value;
  }

  private static @org.jspecify.annotations.Nullable Double special(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "nan" -> Double.NaN;
      case "infinity", "+infinity", "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-infinity", "-inf" -> Double.NEGATIVE_INFINITY;
      default -> null;
    };
  }

  private static String decimal(String word) {
    if (!DECIMAL.matcher(word).matches()) {
      throw new NumberFormatException("not a decimal number");
    }
    return word;
  }

  private static void check(double value, String word) {
    boolean vanished = value == 0.0 && significand(word).chars().anyMatch(c -> c >= '1');
    if (Double.isInfinite(value) || vanished) {
      throw new NumberFormatException("out of range");
    }
  }

  private static String significand(String word) {
    int exponent = word.toLowerCase(Locale.ROOT).indexOf('e');
    return (exponent < 0 ? word : word.substring(0, exponent)).replaceAll("[^0-9]", "");
  }
}
