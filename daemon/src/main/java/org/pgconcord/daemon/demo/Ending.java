package org.pgconcord.daemon.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started, ended in reverse order, once: by the demo's own end or by the JVM's on
 * Ctrl-C or SIGTERM, whichever comes first. The other waits until all is ended.
 */
final class Ending implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ending.class);

  /** On a signal all has to be over within 10 s; the demo's own end may take its time. */
  private static final Duration PATIENCE_AFTER_SIGNAL = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private boolean ending;

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
    closeWithin(PATIENCE_AFTER_SIGNAL);
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
    for (AutoCloseable each = next(); each != null; each = next()) {
      endWithin(each, patience);
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

  /** One part that hangs must not keep the others from being ended. */
  private static void endWithin(AutoCloseable each, Duration patience) {
    Thread thread = new Thread(() -> end(each), "demo-end");
    thread.setDaemon(true);
    thread.start();
    try {
      thread.join(patience.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
