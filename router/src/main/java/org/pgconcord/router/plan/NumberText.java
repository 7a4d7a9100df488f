package org.pgconcord.router.plan;

import java.math.BigInteger;
import java.util.Locale;

/** Numeric literals in all of PostgreSQL's notations, as plain decimal text. */
final class NumberText {
  private NumberText() {}

  static String of(String literal) {
    String digits = literal.replace("_", "").toLowerCase(Locale.ROOT);
    if (digits.startsWith("0x")) {
      return new BigInteger(digits.substring(2), 16).toString();
    } else if (digits.startsWith("0o")) {
      return new BigInteger(digits.substring(2), 8).toString();
    }
    return digits.startsWith("0b") ? new BigInteger(digits.substring(2), 2).toString() : digits;
  }

  /** Digits alone, perhaps with a sign: PostgreSQL gives such a literal an integer type. */
  static boolean isInteger(String number) {
    return number.chars().allMatch(c -> (c >= '0' && c <= '9') || c == '-');
  }
}
