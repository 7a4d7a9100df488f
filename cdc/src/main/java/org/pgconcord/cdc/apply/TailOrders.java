package org.pgconcord.cdc.apply;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** What other threads want of a tail, until its own thread comes to it. Each ends in its future. */
final class TailOrders {
  private final Deque<Runnable> orders = new ArrayDeque<>();
  private boolean closed;

  /** Any thread. After the end nobody would run it: it fails at once. */
  <T> CompletableFuture<T> add(Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    synchronized (this) {
      if (closed) {
        result.completeExceptionally(new IllegalStateException("the tail is closed"));
        return result;
      }
      orders.add(
          () -> {
            try {
              result.complete(work.call());
            } catch (Throwable e) {
              result.completeExceptionally(e);
            }
          });
    }
    return result;
  }

  /** Runs what has been ordered, first ordered first; the tail's thread. */
  void run() {
    for (Optional<Runnable> order = next(); order.isPresent(); order = next()) {
      order.get().run();
    }
  }

  private synchronized Optional<Runnable> next() {
    return Optional.ofNullable(orders.pollFirst());
  }

  /** Nothing more is taken on; what has been is still to be run. Any thread. */
  synchronized void close() {
    closed = true;
  }
}
