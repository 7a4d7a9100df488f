package org.pgconcord.config.json;

import java.util.regex.Pattern;

/** Paths such as {@code $.databases.app.schemas["my schema"].tables}. */
public final class JsonPath {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private JsonPath() {}

  public static String child(String parent, String key) {
    return PLAIN.matcher(key).matches()
        ? parent + "." + key
        : parent + "[\"" + key.replace("\\", "\\\\").replace("\"", "\\\"") + "\"]";
  }
}
