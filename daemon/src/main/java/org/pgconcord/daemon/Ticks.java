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

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "ticks");
            made.setDaemon(true);
            return made;
          });
  private final List<Future<?>> running = new ArrayList<>();

  void every(Duration period, String name, Runnable task) {
    long millis = period.toMillis();
    running.add(
        thread.scheduleWithFixedDelay(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                log.warn("tick failed task={} cause=\"{}\"", name, e.getMessage());
                log.debug("tick failed", e);
              }
            },
            millis,
            millis,
            TimeUnit.MILLISECONDS));
  }

  @Override
  public void close() {
    running.forEach(task -> task.cancel(true));
    thread.shutdownNow();
  }
}
