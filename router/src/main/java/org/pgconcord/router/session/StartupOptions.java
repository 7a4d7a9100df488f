package org.pgconcord.router.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The settings within the startup packet's {@code options}: words separated by blanks, a backslash
 * before one that belongs to the word; {@code -c name=value}, {@code -cname=value} and {@code
 * --name=value} are settings, all else is left to the server. Only read here: the text goes to the
 * servers as it is.
 */
final class StartupOptions {
  /** One setting; the name is in lower case. */
  record Setting(String name, String value) {}

  private StartupOptions() {}

  static List<Setting> read(String options) {
    List<String> words = words(options);
    List<Setting> settings = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.startsWith("--")) {
        add(word.substring(2), settings);
      } else if (word.equals("-c") && i + 1 < words.size()) {
        add(words.get(++i), settings);
      } else if (word.startsWith("-c")) {
        add(word.substring(2), settings);
      }
    }
    return settings;
  }

  private static void add(String assignment, List<Setting> settings) {
    int equals = assignment.indexOf('=');
    if (equals > 0) {
      String name = assignment.substring(0, equals).replace('-', '_').toLowerCase(Locale.ROOT);
      settings.add(new Setting(name, assignment.substring(equals + 1)));
    }
  }

  private static List<String> words(String options) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < options.length(); i++) {
      char c = options.charAt(i);
      if (c == '\\' && i + 1 < options.length()) {
        word.append(options.charAt(++i));
      } else if (!Character.isWhitespace(c)) {
        word.append(c);
      } else if (!word.isEmpty()) {
        words.add(word.toString());
        word.setLength(0);
      }
    }
    if (!word.isEmpty()) {
      words.add(word.toString());
    }
    return words;
  }
}
