package org.pgconcord.daemon.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Changes rows at a steady pace on a thread of its own until it is closed. */
final class Writer implements AutoCloseable {
  /** One kind of work; called again and again by one thread. */
  interface Changes extends AutoCloseable {
    /** Makes one change and counts it. */
    void next(WriterTally tally) throws SQLException;

    @Override
    void close() throws SQLException;
  }

  private static final long PACE_NANOS = Duration.ofMillis(10).toNanos();
  private static final long SLOWEST_NANOS = Duration.ofMillis(320).toNanos();

  private final WriterTally tally = new WriterTally();
  private final Changes changes;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile long paceNanos = PACE_NANOS;

  private Writer(String name, Changes changes) {
    this.changes = changes;
    this.thread = new Thread(this::work, name);
    thread.setDaemon(true);
  }

  static Writer start(String name, Changes changes) {
    Writer writer = new Writer(name, changes);
    writer.thread.start();
    return writer;
  }

  WriterTally tally() {
    return tally;
  }

  /** Halves the pace, down to a few changes a second. */
  void ease() {
    paceNanos = Math.min(SLOWEST_NANOS, paceNanos * 2);
  }

  /** Lets the change in progress end, then ends. */
  @Override
  public void close() throws SQLException {
    stopping = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    changes.close();
  }

  private void work() {
    while (!stopping) {
      try {
        changes.next(tally);
      } catch (SQLException | RuntimeException e) {
        tally.failed(String.valueOf(e.getMessage()));
      }
      LockSupport.parkNanos(paceNanos);
    }
  }
}
