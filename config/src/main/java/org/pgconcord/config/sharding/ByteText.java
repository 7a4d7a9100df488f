package org.pgconcord.config.sharding;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The input syntaxes of uuid and bytea (PostgreSQL manual, "UUID Type" and "Binary Data Types").
 */
final class ByteText {
  private static final HexFormat HEX = HexFormat.of();

  private ByteText() {}

  /** 32 hex digits, in braces or not, with a hyphen allowed after each group of four. */
  static byte[] uuid(String text) {
    boolean braces = text.startsWith("{");
    if (braces != text.endsWith("}")) {
      throw new IllegalArgumentException("unbalanced braces");
    }
    String body = braces ? text.substring(1, text.length() - 1) : text;
    StringBuilder digits = new StringBuilder(32);
    boolean afterHyphen = false;
    for (int i = 0; i < body.length(); i++) {
      char c = body.charAt(i);
      if (c == '-') {
        boolean atGroupEnd = digits.length() % 4 == 0 && digits.length() > 0;
        if (afterHyphen || !atGroupEnd || digits.length() == 32) {
          throw new IllegalArgumentException("misplaced hyphen");
        }
        afterHyphen = true;
      } else {
        digits.append(c);
        afterHyphen = false;
      }
    }
    if (digits.length() != 32) {
      throw new IllegalArgumentException("not 32 hexadecimal digits");
    }
    return HEX.parseHex(digits);
  }

  static byte[] bytea(String text) {
    return text.startsWith("\\x") ? hex(text) : escaped(text);
  }

  /** White space is allowed between pairs of digits, not within one. */
  private static byte[] hex(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(text.length() / 2);
    int i = 2;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        i++;
      } else if (i + 1 < text.length()) {
        out.write(HexFormat.fromHexDigit(c) << 4 | HexFormat.fromHexDigit(text.charAt(i + 1)));
        i += 2;
      } else {
        throw new IllegalArgumentException("odd number of hexadecimal digits");
      }
    }
    return out.toByteArray();
  }

  private static byte[] escaped(String text) {
    byte[] in = text.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream(in.length);
    int i = 0;
    while (i < in.length) {
      if (in[i] != '\\') {
        out.write(in[i++]);
      } else if (i + 1 < in.length && in[i + 1] == '\\') {
        out.write('\\');
        i += 2;
      } else {
        out.write(octal(in, i + 1));
        i += 4;
      }
    }
    return out.toByteArray();
  }

  private static int octal(byte[] in, int at) {
    if (at + 3 > in.length || in[at] > '3') {
      throw new IllegalArgumentException("not an octal escape");
    }
    int value = 0;
    for (int i = at; i < at + 3; i++) {
      if (in[i] < '0' || in[i] > '7') {
        throw new IllegalArgumentException("not an octal escape");
      }
      value = value * 8 + in[i] - '0';
    }
    return value;
  }
}
