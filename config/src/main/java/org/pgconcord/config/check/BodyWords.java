package org.pgconcord.config.check;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a function's body, whatever its language: each that could be a name, those within
 * texts and comments behind a statement too, since a text may be run as SQL. Every name in the body
 * is among them; a line that is certainly nothing but a comment is left out.
 *
 * @param all folded as PostgreSQL folds names; quoted names as they are
 * @param read those that stand where a query or a command names its table
 * @param escaped names are written as code points, which are not read here
 */
record BodyWords(Set<String> all, Set<String> read, boolean escaped) {
  private static final Pattern COMMENT_LINE =
      Pattern.compile("(?m)^[ \\t]*--(?:(?!\\*/)[^'\"$\\r\\n])*$");
  private static final Pattern WORD =
      Pattern.compile("[A-Za-z_\\x{80}-\\x{10ffff}][A-Za-z0-9_$\\x{80}-\\x{10ffff}]*");
  private static final Pattern ESCAPED = Pattern.compile("(?i)u&\"");
  private static final String NAME = "(\"(?:[^\"]|\"\")+\"|" + WORD.pattern() + ")";
  private static final Pattern TABLE =
      Pattern.compile(
          "(?i)\\b(?:from|join|update|into|only|table)\\s+"
              + NAME
              + "(?:\\s*\\.\\s*"
              + NAME
              + ")?");

  /** Longer names are cut. */
  private static final int NAME_BYTES = 63;

  static BodyWords of(String body) {
    String text = COMMENT_LINE.matcher(body).replaceAll("");
    Set<String> all = new HashSet<>();
    Matcher word = WORD.matcher(text);
    while (word.find()) {
      all.add(folded(word.group()));
      for (String part : word.group().split("\\$", -1)) {
        all.add(folded(part));
      }
    }
    for (int quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', quote + 1)) {
      // Any of them may open a name, since texts are not told from the rest.
      all.add(cut(quoted(text, quote)));
    }
    Set<String> read = new HashSet<>();
    Matcher table = TABLE.matcher(text);
    for (int at = 0; table.find(at); at = table.start() + 1) {
      String name = table.group(2) != null ? table.group(2) : table.group(1);
      read.add(name.startsWith("\"") ? cut(quoted(name, 0)) : folded(name));
    }
    return new BodyWords(all, read, ESCAPED.matcher(text).find());
  }

  private static String quoted(String text, int open) {
    StringBuilder name = new StringBuilder();
    for (int i = open + 1; i < text.length() && name.length() <= NAME_BYTES; i++) {
      if (text.charAt(i) == '"') {
        if (i + 1 >= text.length() || text.charAt(i + 1) != '"') {
          break;
        }
        i++;
      }
      name.append(text.charAt(i));
    }
    return name.toString();
  }

  /** PostgreSQL folds the letters of ASCII alone where the encoding is UTF-8. */
  private static String folded(String word) {
    StringBuilder name = new StringBuilder(word);
    for (int i = 0; i < name.length(); i++) {
      if (name.charAt(i) < 0x80) {
        name.setCharAt(i, String.valueOf(name.charAt(i)).toLowerCase(Locale.ROOT).charAt(0));
      }
    }
    return cut(name.toString());
  }

  private static String cut(String name) {
    int end = name.length();
    while (name.substring(0, end).getBytes(StandardCharsets.UTF_8).length > NAME_BYTES) {
      end = name.offsetByCodePoints(end, -1);
    }
    return end == name.length() ? name : name.substring(0, end);
  }
}
