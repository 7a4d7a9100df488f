package org.pgconcord.daemon;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Small recurring work on one thread; a task that fails is logged and tried again. */
final class Ticks implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Ticks.class);

  private final ScheduledExecutorService thread;
  private final List<Future<?>> running = new ArrayList<>();

  /** On one thread of that name. */
  Ticks(String thread) {
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, thread);
              made.setDaemon(true);
              return made;
            });
  }

  void every(Duration period, String name, Runnable task) {
    long millis = period.toMillis();
    running.add(
        thread.scheduleWithFixedDelay(
            () -> run(name, task), millis, millis, TimeUnit.MILLISECONDS));
  }

  /** As soon as the thread is free. */
  void once(String name, Runnable task) {
    running.add(thread.submit(() -> run(name, task)));
  }

  private static void run(String name, Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      log.warn("tick failed task={} cause=\"{}\"", name, e.getMessage());
      log.debug("tick failed", e);
    }
  }

  @Override
  public void close() {
    running.forEach(task -> task.cancel(true));
    thread.shutdownNow();
  }
}
