package org.pgconcord.cdc.apply;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.pgconcord.cdc.change.StreamName;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does a piece of work for one index again and again, with growing pauses, until it succeeds, until
 * it is clear that it never will, or until the tail closes.
 */
final class Patience {
  private static final Logger LOG = LoggerFactory.getLogger(Patience.class);

  /** Work that leaves nothing behind when it fails, once its target is reset. */
  interface Work {
    void run() throws SQLException;
  }

  private final StreamName stream;
  private final Retry retry = new Retry();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();
  private volatile boolean closed;

  Patience(StreamName stream) {
    this.stream = stream;
  }

  /**
   * True when the work was done; false when the tail closes.
   *
   * @throws ConcordException when trying again cannot help
   * @throws OwnerTruncated as the work does
   */
  boolean done(Served one, Work work) {
    while (!closed) {
      try {
        work.run();
        retry.succeeded();
        return true;
      } catch (SQLException | ConcordException e) {
        one.target().reset();
        if (!Retry.mayPass(e)) {
          throw asKnown(e);
        }
        pause(one, e);
      }
    }
    return false;
  }

  private static ConcordException asKnown(Exception failure) {
    return failure instanceof ConcordException known
        ? known
        : ErrorCode.CHANGE_UNREADABLE
            .because("a change cannot be written to the lookup table")
            .withDetail(String.valueOf(failure.getMessage()))
            .withCause(failure);
  }

  private void pause(Served one, Exception failure) {
    Duration pause = retry.next();
    if (retry.failures() > 2) {
      LOG.warn(
          "applying failed, trying again gsi={} stream={} failures={} cause=\"{}\"",
          one.index().name(),
          stream,
          retry.failures(),
          failure.getMessage());
    }
    lock.lock();
    try {
      long left = pause.toNanos();
      while (!closed && left > 0) {
        left = closing.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      closed = true;
    } finally {
      lock.unlock();
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Ends every wait; any thread. */
  void close() {
    lock.lock();
    try {
      closed = true;
      closing.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
