package org.pgconcord.router.sql;

import java.util.Optional;

/** The escapes of {@code U&'...'} and {@code U&"..."} with the default escape character. */
final class UnicodeEscapes {
  private UnicodeEscapes() {}

  /** Empty where the server would raise an error. */
  static Optional<String> decode(String contents) {
    StringBuilder out = new StringBuilder(contents.length());
    int i = 0;
    while (i < contents.length()) {
      char c = contents.charAt(i);
      if (c != '\\') {
        out.append(c);
        i++;
      } else if (contents.startsWith("\\\\", i)) {
        out.append('\\');
        i += 2;
      } else {
        int digits = contents.startsWith("\\+", i) ? 6 : 4;
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
