package org.pgconcord.router.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The value of {@code search_path}, as SHOW prints it, read as the server reads it. */
public final class SearchPath {
  private SearchPath() {}

  /** The schemas in order, unquoted names folded, {@code "$user"} as {@code $user}. */
  public static List<String> parse(String setting) {
    List<String> schemas = new ArrayList<>();
    int i = 0;
    while (i < setting.length()) {
      StringBuilder name = new StringBuilder();
      boolean quoted = false;
      while (i < setting.length() && setting.charAt(i) != ',') {
        if (setting.charAt(i) == '"') {
          quoted = true;
          i = quotedName(setting, i + 1, name);
        } else {
          name.append(setting.charAt(i++));
        }
      }
      i++;
      String text =
          quoted ? name.toString().strip() : name.toString().strip().toLowerCase(Locale.ROOT);
      if (!text.isEmpty()) {
        schemas.add(text);
      }
    }
    return schemas;
  }

  /** Appends the name up to its closing quote; returns the index behind that. */
  private static int quotedName(String setting, int from, StringBuilder name) {
    int i = from;
    while (i < setting.length()) {
      if (setting.charAt(i) != '"') {
        name.append(setting.charAt(i++));
      } else if (setting.startsWith("\"\"", i)) {
        name.append('"');
        i += 2;
      } else {
        return i + 1;
      }
    }
    return i;
  }
}
