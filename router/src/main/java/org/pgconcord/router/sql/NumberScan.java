package org.pgconcord.router.sql;

import java.math.BigInteger;
import java.util.Locale;

/**
 * The numeric rules of PostgreSQL's scanner: {@code 12 1_000 0x1F 0o17 0b1 1. .5 1.5e-3}. A number
 * with a letter right behind it is an error, on version 15 too, where the newer forms are just
 * that.
 */
final class NumberScan {
  private static final BigInteger MAX_INT = BigInteger.valueOf(Integer.MAX_VALUE);

  private final String sql;
  private final int start;
  private int at;

  /** True when the number ends in an exponent without a sign. */
  private boolean lettersInside;

  NumberScan(String sql, int start) {
    this.sql = sql;
    this.start = start;
    this.at = start;
  }

  /** Adds the token; returns the index behind it. */
  int addTo(Tokens.Builder tokens) {
    boolean based = based(16, "xX") || based(8, "oO") || based(2, "bB");
    TokenKind kind = based ? integerKind() : decimal();
    if (isJunk(based || lettersInside)) {
      throw Lexer.syntaxError(sql, "trailing junk after numeric literal", start);
    }
    tokens.add(kind, start, at);
    return at;
  }

  /**
   * Whether the number runs on into a name. Where its last part could itself be the beginning of a
   * name ({@code 0b1}, {@code 1e5}), that longer match wins, and names go on with digits and {@code
   * $}.
   */
  private boolean isJunk(boolean lettersInside) {
    if (at >= sql.length()) {
      return false;
    }
    char next = sql.charAt(at);
    return lettersInside ? Lexer.isNamePart(next) : Lexer.isNameStart(next);
  }

  private boolean based(int radix, String letters) {
    if (sql.charAt(start) != '0'
        || start + 1 >= sql.length()
        || letters.indexOf(sql.charAt(start + 1)) < 0) {
      return false;
    }
    at = start + 2;
    while (true) {
      int digit = at < sql.length() && sql.charAt(at) == '_' ? at + 1 : at;
      if (digit >= sql.length() || Character.digit(ascii(digit), radix) < 0) {
        break;
      }
      at = digit + 1;
    }
    if (at == start + 2) {
      throw Lexer.syntaxError(sql, "invalid integer literal", start);
    }
    return true;
  }

  private TokenKind decimal() {
    digits();
    boolean fraction = false;
    if (at < sql.length() && sql.charAt(at) == '.' && !sql.startsWith("..", at)) {
      fraction = true;
      at++;
      digits();
    }
    return exponent() || fraction ? TokenKind.NUMERIC : integerKind();
  }

  private void digits() {
    while (at < sql.length()) {
      if (Lexer.isDigit(sql.charAt(at))) {
        at++;
      } else if (sql.charAt(at) == '_'
          && at > start
          && Lexer.isDigit(sql.charAt(at - 1))
          && at + 1 < sql.length()
          && Lexer.isDigit(sql.charAt(at + 1))) {
        at++;
      } else {
        return;
      }
    }
  }

  private boolean exponent() {
    if (at >= sql.length() || (sql.charAt(at) != 'e' && sql.charAt(at) != 'E')) {
      return false;
    }
    int digit = at + 1;
    if (digit < sql.length() && (sql.charAt(digit) == '+' || sql.charAt(digit) == '-')) {
      digit++;
    }
    if (digit >= sql.length() || !Lexer.isDigit(sql.charAt(digit))) {
      throw Lexer.syntaxError(sql, "trailing junk after numeric literal", start);
    }
    lettersInside = digit == at + 1;
    at = digit;
    digits();
    return true;
  }

  private TokenKind integerKind() {
    return value(sql.substring(start, at)).compareTo(MAX_INT) <= 0
        ? TokenKind.INTEGER
        : TokenKind.NUMERIC;
  }

  /** The value of an integer in any of its notations. */
  static BigInteger value(String literal) {
    String digits = literal.replace("_", "").toLowerCase(Locale.ROOT);
    if (digits.startsWith("0x")) {
      return new BigInteger(digits.substring(2), 16);
    }
    if (digits.startsWith("0o")) {
      return new BigInteger(digits.substring(2), 8);
    }
    return digits.startsWith("0b")
        ? new BigInteger(digits.substring(2), 2)
        : new BigInteger(digits);
  }

  /** Character.digit knows digits of other scripts; the scanner does not. */
  private char ascii(int index) {
    char c = sql.charAt(index);
    return c < 0x80 ? c : ' ';
  }
}
