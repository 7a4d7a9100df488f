package org.pgconcord.router.sql;

import java.util.Optional;

/** The escapes of {@code U&'...'} and {@code U&"..."}. */
final class UnicodeEscapes {
  private UnicodeEscapes() {}

  /** With the default escape character; empty where the server would raise an error. */
  static Optional<String> decode(String contents) {
    return decode(contents, '\\');
  }

  /** Empty where the server would raise an error, or might for this escape character. */
  static Optional<String> decode(String contents, char escape) {
    if (hex("" + escape, 0, 1) >= 0 || "+'\"".indexOf(escape) >= 0 || escape <= ' ') {
      return Optional.empty();
    }
    StringBuilder out = new StringBuilder(contents.length());
    int i = 0;
    while (i < contents.length()) {
      char c = contents.charAt(i);
      if (c != escape) {
        out.append(c);
        i++;
      } else if (i + 1 < contents.length() && contents.charAt(i + 1) == escape) {
        out.append(escape);
        i += 2;
      } else {
        int digits = contents.startsWith("+", i + 1) ? 6 : 4;
        int from = digits == 6 ? i + 2 : i + 1;
        int point = hex(contents, from, digits);
        if (point <= 0 || point > Character.MAX_CODE_POINT) {
          return Optional.empty();
        }
        out.appendCodePoint(point);
        i = from + digits;
      }
    }
    return Optional.of(out.toString());
  }

  /** -1 when there are not so many hexadecimal digits. */
  static int hex(String text, int from, int digits) {
    if (from + digits > text.length()) {
      return -1;
    }
    int value = 0;
    for (int i = from; i < from + digits; i++) {
      char c = text.charAt(i);
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        return -1;
      }
      value = value * 16 + digit;
    }
    return value;
  }
}
