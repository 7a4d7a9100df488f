package org.pgconcord.router.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of {@code search_path} as a list of names. */
final class SearchPath {
  private static final Pattern NAME = Pattern.compile("\"((?:[^\"]|\"\")*)\"|([^,\"\\s]+)");

  private SearchPath() {}

  /** Quoted names as they are, others in lower case, as PostgreSQL splits the list. */
  static List<String> parse(String text) {
    List<String> names = new ArrayList<>();
    Matcher matcher = NAME.matcher(text);
    while (matcher.find()) {
      String quoted = matcher.group(1);
      names.add(
          quoted != null
              ? quoted.replace("\"\"", "\"")
              : matcher.group(2).toLowerCase(Locale.ROOT));
    }
    return List.copyOf(names);
  }
}
