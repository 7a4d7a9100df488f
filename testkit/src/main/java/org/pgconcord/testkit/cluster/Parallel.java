package org.pgconcord.testkit.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/** The same work for each of a few things, one thread each. */
final class Parallel {
  private Parallel() {}

  /** Returns when all have ended; throws the first failure, with the others suppressed. */
  static <T, R> void forEach(List<T> items, Function<T, R> first, Consumer<R> second) {
    ExecutorService executor = Executors.newFixedThreadPool(Math.max(1, items.size()));
    try {
      List<Future<?>> all = new ArrayList<>();
      items.forEach(item -> all.add(executor.submit(() -> second.accept(first.apply(item)))));
      await(all);
    } finally {
      executor.shutdownNow();
    }
  }

  private static void await(List<Future<?>> all) {
    RuntimeException failure = null;
    for (Future<?> each : all) {
      try {
        each.get();
      } catch (ExecutionException e) {
        RuntimeException next =
            e.getCause() instanceof RuntimeException r
                ? r
                : new IllegalStateException(e.getCause());
        if (failure == null) {
          failure = next;
        } else {
          failure.addSuppressed(next);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
