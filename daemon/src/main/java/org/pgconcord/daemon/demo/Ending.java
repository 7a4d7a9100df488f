package org.pgconcord.daemon.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started, ended in reverse order, once: by the demo's own end or by the JVM's on
 * Ctrl-C or SIGTERM, whichever comes first. The other waits until all is ended.
 */
final class Ending implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

  /** On a signal all is to be over within 10 s; the demo's own end may take its time. */
  private static final Duration PATIENCE_AFTER_SIGNAL = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** For what a busy machine has not ended in its time: servers must not outlive the demo. */
  private static final Duration PATIENCE_FOR_THE_LATE = Duration.ofSeconds(20);

  private final Duration afterSignal;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean ending;

  Ending() {
    this(PATIENCE_AFTER_SIGNAL);
  }

  /**
   * @param afterSignal what a part may keep the next one waiting for after a signal
   */
  Ending(Duration afterSignal) {
    this.afterSignal = afterSignal;
  }

  /** Ends {@code resource} at the end; at once if the end has come already. */
  <T extends AutoCloseable> T add(T resource) {
    synchronized (this) {
      if (!ending) {
        started.push(resource);
        return resource;
      }
    }
    end(resource);
    return resource;
  }

  synchronized boolean begun() {
    return ending;
  }

  /** Waits until {@link #close} has been called and has ended everything. */
  void await() throws InterruptedException {
    ended.await();
  }

  /** For the JVM's end by a signal. */
  void closeQuickly() {
    closeWithin(afterSignal);
  }

  @Override
  public void close() {
    closeWithin(PATIENCE);
  }

  private void closeWithin(Duration patience) {
    if (!isFirst()) {
      awaitOther();
      return;
    }
    List<Thread> late = new ArrayList<>();
    for (AutoCloseable each = next(); each != null; each = next()) {
      Thread end = begin(each);
      if (!isOver(end, patience)) {
        late.add(end);
      }
    }
    long deadline = System.nanoTime() + PATIENCE_FOR_THE_LATE.toNanos();
    for (Thread end : late) {
      isOver(end, Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
    }
    ended.countDown();
  }

  private synchronized boolean isFirst() {
    boolean first = !ending;
    ending = true;
    return first;
  }

  private synchronized @org.jspecify.annotations.Nullable AutoCloseable next() {
    return started.poll();
  }

  private static Thread begin(AutoCloseable each) {
    Thread thread = new Thread(() -> end(each), "demo-end");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** One part that hangs must not keep the others from being ended. */
  private static boolean isOver(Thread end, Duration patience) {
    try {
      end.join(Math.max(1, patience.toMillis()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !end.isAlive();
  }

  private static void end(AutoCloseable each) {
    try {
      each.close();
    } catch (Exception e) {
      LOG.warn("a part of the demo did not end cleanly", e);
    }
  }

  private void awaitOther() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
