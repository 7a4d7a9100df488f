package org.pgconcord.cdc.source;

import java.time.Duration;

/**
 * Waits for the end of the thread that runs engines, once its engine has been told to stop.
 *
 * <p>An engine that is stopped between the start of its tasks and their first poll (a few
 * milliseconds, more on a busy machine) drops the poll that it has just submitted and then waits
 * for it, for good: its executor forgets what it had not begun. Who closes the stream would wait as
 * long, and with it whoever needs the tail. Such an engine ends when it is interrupted; one that is
 * ending anyway is not harmed by it.
 */
final class LastWait {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private LastWait() {}

  /** Returns at once when it is the thread itself that asks. */
  static void forEndOf(Thread thread) {
    forEndOf(thread, PATIENCE);
  }

  static void forEndOf(Thread thread, Duration patience) {
    boolean interrupted = false;
    while (thread.isAlive() && thread != Thread.currentThread()) {
      try {
        thread.join(patience.toMillis());
      } catch (InterruptedException e) {
        interrupted = true;
      }
      thread.interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
