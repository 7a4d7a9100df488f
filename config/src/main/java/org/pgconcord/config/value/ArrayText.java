package org.pgconcord.config.value;

import java.util.Collection;
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
}
