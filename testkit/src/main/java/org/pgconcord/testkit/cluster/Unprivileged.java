package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.error.ErrorCode;

/**
 * How PostgreSQL is run so that it does not see itself as root, which it refuses. Each way {@code
 * exec}s the server, so that the pid that was started is the postmaster's.
 */
public enum Unprivileged {
  /** This process is an ordinary user already. */
  AS_IS(""),

  /**
   * A user namespace without a mapping: the server sees user 65534, and the files that root made
   * seem to belong to that user as well. Nothing needs another owner.
   */
  USER_NAMESPACE("unshare -U"),

  /** The user {@code nobody}; for containers that forbid user namespaces. */
  NOBODY("setpriv --reuid=65534 --regid=65534 --clear-groups");

  private static final int NOBODY_ID = 65534;

  /** Words separated by one space; nothing for none. */
  private final String prefix;

  Unprivileged(String prefix) {
    this.prefix = prefix;
  }

  /** The first way that works here; an error that says what to do when none does. */
  public static Unprivileged choose() {
    if (!isRoot()) {
      return AS_IS;
    }
    for (Unprivileged way : List.of(USER_NAMESPACE, NOBODY)) {
      if (way.works()) {
        return way;
      }
    }
    throw ErrorCode.EMBEDDED_NEEDS_USER.because(
        "PostgreSQL refuses to run as root, and neither \"unshare -U\" nor \"setpriv\" works here");
  }

  static boolean isRoot() {
    try {
      return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    } catch (IOException e) {
      return "root".equals(System.getProperty("user.name"));
    }
  }

  /** True when a harmless command can be run this way. */
  public boolean works() {
    return succeeds(List.of("true"));
  }

  /** True when a server that runs this way reaches {@code directory}. */
  boolean reaches(Path directory) {
    return this != NOBODY || succeeds(List.of("test", "-x", directory.toString()));
  }

  private boolean succeeds(List<String> command) {
    try {
      Process probe =
          new ProcessBuilder(command(command))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return probe.waitFor(10, TimeUnit.SECONDS) && probe.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  List<String> command(List<String> command) {
    List<String> all = new ArrayList<>();
    if (!prefix.isEmpty()) {
      all.addAll(List.of(prefix.split(" ")));
    }
    all.addAll(command);
    return all;
  }

  /** Makes {@code path} the server's own where the server runs as another user than we do. */
  void giveAway(Path path) throws IOException {
    if (this == NOBODY) {
      Files.setAttribute(path, "unix:uid", NOBODY_ID);
      Files.setAttribute(path, "unix:gid", NOBODY_ID);
    }
  }
}
