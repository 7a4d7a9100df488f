package org.pgconcord.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The oldest PostgreSQL that shards may run, beside the newest on the class path. Two versions of
 * one library cannot both be there, so the build copies the jar of this one to a folder and names
 * it in a system property.
 */
public final class OldestPostgres {
  private static final String PROPERTY = "pgconcord.oldestPostgres";

  private OldestPostgres() {}

  /** The jar, for {@code ClusterSettings.withPostgres}. */
  public static Path jar() {
    Path jar = Path.of(System.getProperty(PROPERTY, ""));
    if (!Files.isRegularFile(jar)) {
      throw new AssertionError(
          "-D" + PROPERTY + " must name the jar that the build copies, not \"" + jar + "\"");
    }
    return jar;
  }
}
