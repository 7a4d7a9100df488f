package org.pgconcord.router.sql;

import java.util.Optional;

/** The value of a string constant. */
public final class LiteralText {
  private LiteralText() {}

  /**
   * The characters that the constant at {@code token} stands for; empty where the notation is not
   * read here (bit strings, byte escapes above ASCII, {@code UESCAPE}).
   */
  public static Optional<String> of(Tokens tokens, int token) {
    String text = tokens.text(token);
    return switch (tokens.kind(token)) {
      case STRING -> Optional.of(joined(text, 0).replace("''", "'"));
      case ESCAPE_STRING -> escapes(joined(text, 1));
      case UNICODE_STRING ->
          tokens.isWord(token + 1, "uescape")
              ? Optional.empty()
              : UnicodeEscapes.decode(joined(text, 2).replace("''", "'"));
      case DOLLAR_STRING -> Optional.of(dollar(text));
      default -> Optional.empty();
    };
  }

  private static String dollar(String text) {
    int tag = text.indexOf('$', 1) + 1;
    return text.substring(tag, text.length() - tag);
  }

  /** The contents of all parts of a string that is continued over lines; quotes still doubled. */
  private static String joined(String text, int prefix) {
    boolean escapes = prefix == 1;
    StringBuilder out = new StringBuilder(text.length());
    int i = prefix + 1;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (c == '\\' && escapes) {
        out.append(text, i, i + 2);
        i += 2;
      } else if (c != '\'') {
        out.append(c);
        i++;
      } else if (text.startsWith("''", i)) {
        out.append("''");
        i += 2;
      } else {
        i = nextPart(text, i + 1);
      }
    }
    return out.toString();
  }

  /** Behind the opening quote of the next part; the lexer has seen to it that there is one. */
  private static int nextPart(String text, int from) {
    int i = from;
    while (i < text.length() && text.charAt(i) != '\'') {
      if (text.startsWith("--", i)) {
        while (i < text.length() && text.charAt(i) != '\n' && text.charAt(i) != '\r') {
          i++;
        }
      } else {
        i++;
      }
    }
    return i + 1;
  }

  private static Optional<String> escapes(String contents) {
    StringBuilder out = new StringBuilder(contents.length());
    int i = 0;
    while (i < contents.length()) {
      char c = contents.charAt(i);
      if (c == '\'') {
        out.append('\'');
        i += 2;
      } else if (c != '\\') {
        out.append(c);
        i++;
      } else {
        int next = escape(contents, i + 1, out);
        if (next < 0) {
          return Optional.empty();
        }
        i = next;
      }
    }
    return Optional.of(out.toString());
  }

  /** Appends the escaped character at {@code at}; the index behind it, or -1 when not read here. */
  private static int escape(String contents, int at, StringBuilder out) {
    char c = contents.charAt(at);
    switch (c) {
      case 'b' -> out.append('\b');
      case 'f' -> out.append('\f');
      case 'n' -> out.append('\n');
      case 'r' -> out.append('\r');
      case 't' -> out.append('\t');
      case 'u' -> {
        return codePoint(contents, at + 1, 4, out);
      }
      case 'U' -> {
        return codePoint(contents, at + 1, 8, out);
      }
      case 'x' -> {
        return ascii(contents, at + 1, 16, 2, out);
      }
      case '0', '1', '2', '3', '4', '5', '6', '7' -> {
        return ascii(contents, at, 8, 3, out);
      }
      case 'v' -> {
        return -1; // a tabulator from version 16 on, a letter before
      }
      default -> out.append(c);
    }
    return at + 1;
  }

  /** A byte by its number; one above ASCII is a part of a character, which is not put together. */
  private static int ascii(String contents, int from, int radix, int most, StringBuilder out) {
    int number = 0;
    int at = from;
    while (at < contents.length()
        && at < from + most
        && contents.charAt(at) < 0x80
        && Character.digit(contents.charAt(at), radix) >= 0) {
      number = radix * number + Character.digit(contents.charAt(at++), radix);
    }
    if (at == from) {
      out.append('x');
      return at;
    }
    if (number == 0 || number >= 0x80) {
      return -1;
    }
    out.append((char) number);
    return at;
  }

  private static int codePoint(String contents, int from, int digits, StringBuilder out) {
    int point = UnicodeEscapes.hex(contents, from, digits);
    if (point <= 0 || point > Character.MAX_CODE_POINT) {
      return -1;
    }
    out.appendCodePoint(point);
    return from + digits;
  }
}
