package org.pgconcord.config.topology;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The documents of these tests. */
final class Documents {
  private Documents() {}

  static String seed() {
    return resource("/topology/seed.json");
  }

  static String resource(String name) {
    try (InputStream in = Documents.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("no test resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
