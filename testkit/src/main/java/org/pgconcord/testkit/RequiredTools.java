package org.pgconcord.testkit;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.opentest4j.TestAbortedException;

/**
 * Programs that some tests use but no build can bring along ({@code psql}, {@code node}, {@code
 * xxhsum}). Without one its tests are skipped with a line that says so; with {@code CI=true} in the
 * environment they fail instead, so that a green build there has run them all.
 */
public final class RequiredTools {
  private RequiredTools() {}

  /** The path of {@code tool}; ends the calling test as skipped, or failed under CI, without it. */
  public static Path require(String tool) {
    return require(tool, "true".equals(System.getenv("CI")));
  }

  static Path require(String tool, boolean allTestsMustRun) {
    Optional<Path> path = find(tool, System.getenv("PATH"));
    if (path.isPresent()) {
      return path.get();
    }
    String message = tool + " is not installed";
    if (allTestsMustRun) {
      throw new AssertionError(message + ", and CI=true asks for every test");
    }
    System.out.println("SKIPPED: " + message + "; a test that uses it does not run");
    throw new TestAbortedException(message);
  }

  static Optional<Path> find(String tool, String searchPath) {
    return Arrays.stream(searchPath.split(File.pathSeparator))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
