package org.pgconcord.router.exec;

import org.jspecify.annotations.Nullable;

/** Elements of an array of texts, as PostgreSQL's array input reads them. */
final class ArrayText {
  private ArrayText() {}

  /** Quotes every element, so that none is taken for NULL or cut at a blank. */
  static void append(StringBuilder array, @Nullable String element) {
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
