package org.pgconcord.state.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.error.ErrorCode;

/**
 * What is under way on the store. Its memory is native: whoever would touch it after it has been
 * freed takes the process with him, so it is freed only when nobody does. A daemon that ends does
 * not wait for each of its threads; those that come later are refused here. Any thread.
 */
final class Uses {
  private int running;
  private boolean over;

  synchronized void begin() {
    check();
    running++;
  }

  synchronized void end() {
    running--;
    notifyAll();
  }

  /** For a use that lasts: it is to come to its end once the store is about to close. */
  synchronized void check() {
    if (over) {
      throw ErrorCode.STATE_UNUSABLE.because("the state store is closed");
    }
  }

  /**
   * From now on nothing begins.
   *
   * @return true when nothing runs any more, and for the first caller alone
   */
  synchronized boolean finish(Duration limit) {
    if (over) {
      return false;
    }
    over = true;
    long deadline = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    long left = limit.toNanos();
    while (running > 0 && left > 0) {
      try {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = deadline - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return running == 0;
  }
}
