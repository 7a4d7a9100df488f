package org.pgconcord.router.exec;

import org.jspecify.annotations.Nullable;

/**
 * What else must hear that the running statement is to end: one that waits for its client has
 * nothing running that could be cancelled. On the session's event loop.
 */
final class Interrupts {
  private @Nullable Runnable waiting;

  /** Until {@link #clear}. */
  void set(Runnable end) {
    waiting = end;
  }

  void clear() {
    waiting = null;
  }

  void interrupt() {
    if (waiting != null) {
      waiting.run();
    }
  }
}
