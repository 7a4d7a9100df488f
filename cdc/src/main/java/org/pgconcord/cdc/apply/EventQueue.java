package org.pgconcord.cdc.apply;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;

/**
 * What a stream has delivered and its tail has not taken yet, bounded by rows. One transaction
 * always fits, however large: its rows lie in the spool by then.
 */
final class EventQueue {
  /**
   * A transaction, or a message.
   *
   * @param time when the transaction committed, or when the message arrived
   */
  record Event(@Nullable SourceTransaction transaction, Lsn position, Instant time) {
    long rows() {
      return transaction == null ? 1 : 1 + transaction.changes().count();
    }
  }

  private final long maxRows;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Deque<Event> events = new ArrayDeque<>();
  private long rows;
  private boolean closed;
  private boolean woken;

  EventQueue(long maxRows) {
    this.maxRows = maxRows;
  }

  /** Waits until there is room; after {@link #close} the event is dropped. */
  void put(Event event) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed && !events.isEmpty() && rows + event.rows() > maxRows) {
        changed.await();
      }
      if (!closed) {
        events.addLast(event);
        rows += event.rows();
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the first event, {@link #wake} or the time's end, then takes what is there. */
  List<Event> take(long upToRows, Duration limit) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = limit.toNanos();
      while (events.isEmpty() && !closed && !woken && left > 0) {
        left = changed.awaitNanos(left);
      }
      woken = false;
      return takeNow(upToRows);
    } finally {
      lock.unlock();
    }
  }

  private List<Event> takeNow(long upToRows) {
    List<Event> taken = new ArrayList<>();
    long takenRows = 0;
    for (Event next = events.peekFirst();
        next != null && (taken.isEmpty() || takenRows + next.rows() <= upToRows);
        next = events.peekFirst()) {
      events.removeFirst();
      taken.add(next);
      takenRows += next.rows();
    }
    rows -= takenRows;
    changed.signalAll();
    return taken;
  }

  /** Ends a {@link #take} that waits. */
  void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Drops everything, and everything that is still to come. */
  void close() {
    lock.lock();
    try {
      closed = true;
      events.forEach(EventQueue::drop);
      events.clear();
      rows = 0;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static void drop(Event event) {
    if (event.transaction() != null) {
      event.transaction().changes().close();
    }
  }
}
