package org.pgconcord.config.value;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Arrays of texts, as PostgreSQL's array input reads them. */
public final class ArrayText {
  private ArrayText() {}

  /** The whole array. */
  public static String of(Collection<? extends @Nullable String> elements) {
    StringBuilder array = new StringBuilder("{");
    for (String element : elements) {
      if (array.length() > 1) {
        array.append(',');
      }
      append(array, element);
    }
    return array.append('}').toString();
  }

  /** Quotes every element, so that none is taken for NULL or cut at a blank. */
  public static void append(StringBuilder array, @Nullable String element) {
    if (element == null) {
      array.append("NULL");
      return;
    }
    array.append('"');
    for (int i = 0; i < element.length(); i++) {
      char c = element.charAt(i);
      if (c == '"' || c == '\\') {
        array.append('\\');
      }
      array.append(c);
    }
    array.append('"');
  }

  /**
   * The elements of an array of one dimension as array_in reads it, null for NULL; empty for
   * anything else, for bounds that are written out, and for what it would not read.
   */
  public static Optional<List<@Nullable String>> read(String array) {
    Reader reader = new Reader(array);
    return reader.all() ? Optional.of(reader.elements) : Optional.empty();
  }

  private static final class Reader {
    private final String text;
    private final List<@Nullable String> elements = new ArrayList<>();
    private int at;

    Reader(String text) {
      this.text = text;
    }

    boolean all() {
      skipBlanks();
      if (!next('{')) {
        return false;
      }
      skipBlanks();
      boolean open = !next('}');
      while (open) {
        if (!element()) {
          return false;
        }
        skipBlanks();
        open = next(',');
        if (!open && !next('}')) {
          return false;
        }
      }
      skipBlanks();
      return at == text.length();
    }

    private boolean element() {
      skipBlanks();
      return next('"') ? quoted() : bare();
    }

    private boolean quoted() {
      StringBuilder element = new StringBuilder();
      while (at < text.length()) {
        char c = text.charAt(at++);
        if (c == '"') {
          elements.add(element.toString());
          return true;
        } else if (c == '\\') {
          if (at == text.length()) {
            return false;
          }
          c = text.charAt(at++);
        }
        element.append(c);
      }
      return false;
    }

    /** Escapes outside of quotes are left to the server. */
    private boolean bare() {
      int from = at;
      while (at < text.length() && text.charAt(at) != ',' && text.charAt(at) != '}') {
        if ("{\"\\".indexOf(text.charAt(at)) >= 0) {
          return false;
        }
        at++;
      }
      int to = at;
      while (to > from && isBlank(text.charAt(to - 1))) {
        to--;
      }
      String element = text.substring(from, to);
      elements.add(element.equalsIgnoreCase("null") ? null : element);
      return !element.isEmpty();
    }

    private boolean next(char c) {
      if (at < text.length() && text.charAt(at) == c) {
        at++;
        return true;
      }
      return false;
    }

    private void skipBlanks() {
      while (at < text.length() && isBlank(text.charAt(at))) {
        at++;
      }
    }

    /** What array_in skips (scanner_isspace of arrayfuncs.c). */
    private static boolean isBlank(char c) {
      return c == ' ' || (c >= '\t' && c <= '\r');
    }
  }
}
