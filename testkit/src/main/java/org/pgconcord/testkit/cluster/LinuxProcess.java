package org.pgconcord.testkit.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A process named so that a reused pid is not taken for it: pid and start time. Source: proc(5),
 * field 22 of {@code /proc/PID/stat}.
 *
 * @param startTicks clock ticks from the machine's start to the process's
 */
public record LinuxProcess(long pid, long startTicks) {
  private static final long POLL_NANOS = Duration.ofMillis(5).toNanos();

  /** The running process with this pid; empty when there is none. A zombie counts as gone. */
  public static Optional<LinuxProcess> find(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The command's name, in parentheses, may itself hold spaces and parentheses.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
      boolean dead = fields[0].equals("Z") || fields[0].equals("X");
      return dead
          ? Optional.empty()
          : Optional.of(new LinuxProcess(pid, Long.parseLong(fields[19])));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** This JVM. */
  public static LinuxProcess self() {
    return find(ProcessHandle.current().pid())
        .orElseThrow(() -> new IllegalStateException("/proc is not readable"));
  }

  public boolean alive() {
    return find(pid).filter(this::equals).isPresent();
  }

  /** Its working directory; empty when it is gone or belongs to somebody else. */
  public Optional<Path> workingDirectory() {
    try {
      return Optional.of(Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Sends a signal ({@code INT}, {@code QUIT}, {@code KILL}) if the process is still there. */
  public void signal(String name) {
    if (!alive()) {
      return;
    }
    try {
      // The shell's own kill: bare systems lack /bin/kill.
      new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for its end. True when it has ended within {@code limit}. */
  public boolean awaitEnd(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (alive()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
