package org.pgconcord.daemon.demo;

import java.nio.file.Path;

/**
 * What the command line asks for.
 *
 * @param shards 1 to 16
 * @param rows users to load, at least {@link #LEAST_ROWS}
 * @param directory made for the demo and removed at its end
 * @param tour what is shown once the index is enabled
 * @param exit ends after the last chapter instead of staying up
 */
record DemoOptions(
    int shards,
    long rows,
    long seed,
    int port,
    int httpPort,
    Path directory,
    Tour tour,
    boolean exit) {
  /** Fewer leave the writers without rows to change. */
  static final long LEAST_ROWS = 1_000;

  static final int MOST_SHARDS = 16;

  /** A folder of this user's in the system's temporary one. */
  static Path usualDirectory() {
    String user = System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");
    return Path.of(System.getProperty("java.io.tmpdir"), "pgconcord-demo-" + user);
  }
}
