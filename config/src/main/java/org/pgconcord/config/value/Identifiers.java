package org.pgconcord.config.value;

/** Quoting of names and strings for SQL text that pgConcord itself writes. */
public final class Identifiers {
  private Identifiers() {}

  /** The name in double quotes, embedded quotes doubled: always a valid identifier. */
  public static String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /**
   * The text as a string constant. A text with a backslash becomes an {@code E''} string, so that
   * the result means the same under either value of {@code standard_conforming_strings}.
   */
  public static String literal(String text) {
    String doubled = text.replace("'", "''");
    return text.indexOf('\\') < 0
        ? "'" + doubled + "'"
        : " E'" + doubled.replace("\\", "\\\\") + "'";
  }
}
