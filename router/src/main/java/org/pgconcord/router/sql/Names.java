package org.pgconcord.router.sql;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Identifiers as PostgreSQL stores them: folded, unquoted, cut to 63 bytes. */
public final class Names {
  private static final int MAX_BYTES = 63;

  private Names() {}

  /**
   * The name that a name token stands for. A {@code U&""} name is returned with its escapes decoded
   * for the default escape character; with another one it is the raw text, which matches nothing
   * that it should not: whoever compares it with a known name must refuse such statements.
   */
  public static String of(Tokens tokens, int token) {
    String text = tokens.text(token);
    return switch (tokens.kind(token)) {
      case QUOTED_NAME -> cut(text.substring(1, text.length() - 1).replace("\"\"", "\""));
      case UNICODE_NAME -> cut(unicode(text));
      default -> cut(fold(text));
    };
  }

  /** A name as JSqlParser hands it back: with its quotes, if it had them. */
  static String ofSource(String text) {
    return text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")
        ? cut(text.substring(1, text.length() - 1).replace("\"\"", "\""))
        : cut(fold(text));
  }

  /** Only ASCII letters are folded in a database of encoding UTF8. */
  public static String fold(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (word.charAt(i) >= 0x80) {
        return foldAscii(word);
      }
    }
    return word.toLowerCase(Locale.ROOT);
  }

  private static String foldAscii(String word) {
    StringBuilder folded = new StringBuilder(word.length());
    for (int i = 0; i < word.length(); i++) {
      char c = word.charAt(i);
      folded.append(c >= 'A' && c <= 'Z' ? (char) (c + 32) : c);
    }
    return folded.toString();
  }

  /** Longer names are cut at a character's boundary, as the server does with a notice. */
  private static String cut(String name) {
    if (name.length() * 3 <= MAX_BYTES) {
      return name;
    }
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_BYTES) {
      return name;
    }
    int end = MAX_BYTES;
    while ((bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }

  private static String unicode(String text) {
    String contents = text.substring(3, text.length() - 1).replace("\"\"", "\"");
    return UnicodeEscapes.decode(contents).orElse(contents);
  }
}
