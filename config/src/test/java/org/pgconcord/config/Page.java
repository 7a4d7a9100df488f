package org.pgconcord.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of docs/ that is made from code, whole or between two marks. A test compares them; with
 * {@code -Ddocs=write} it writes the page instead.
 */
public final class Page {
  private Page() {}

  /** Holds the whole page to the text. */
  public static void holds(String name, String text) {
    compare(path(name), text);
  }

  /** Holds the part between the lines that start with {@code begin} and {@code end}. */
  public static void holdsBetween(String name, String begin, String end, String text) {
    String page = read(path(name));
    int from = page.indexOf('\n', page.indexOf(begin)) + 1;
    int to = page.indexOf(end);
    assertThat(page).contains(begin, end);
    compare(path(name), page.substring(0, from) + text + page.substring(to));
  }

  private static void compare(Path path, String text) {
    if ("write".equals(System.getProperty("docs"))) {
      write(path, text);
    }
    assertThat(read(path))
        .as("%s is not up to date; run the test with -Ddocs=write", path.getFileName())
        .isEqualTo(text);
  }

  private static Path path(String name) {
    return Path.of("..", "docs", name);
  }

  private static String read(Path path) {
    try {
      return Files.exists(path) ? Files.readString(path) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path path, String text) {
    try {
      Files.writeString(path, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
