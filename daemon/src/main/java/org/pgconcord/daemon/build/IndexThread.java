package org.pgconcord.daemon.build;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that works for an index, so that no two operations on it ever overlap, and what is
 * known of its work: the step that runs, how the last operation ended.
 */
final class IndexThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(IndexThread.class);

  private final GsiName gsi;
  private final ExecutorService thread;
  private @Nullable String operation;
  private String step = "idle";
  private @Nullable ConcordException failure;

  IndexThread(GsiName gsi) {
    this.gsi = gsi;
    this.thread =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread made = new Thread(task, "gsi-" + gsi);
              made.setDaemon(true);
              return made;
            });
  }

  /**
   * What is going on.
   *
   * @param operation {@code build}, {@code verify} ...; empty while idle
   * @param failure of the last operation; null after success
   */
  record Activity(Optional<String> operation, String step, @Nullable ConcordException failure) {}

  synchronized Activity activity() {
    return new Activity(Optional.ofNullable(operation), step, failure);
  }

  synchronized void step(String name) {
    step = name;
  }

  /**
   * Starts an operation.
   *
   * @return empty when the same operation runs already
   * @throws ConcordException {@code gsi/busy} when another one runs
   */
  <T> Optional<CompletableFuture<T>> start(String name, Supplier<T> work) {
    synchronized (this) {
      if (operation != null) {
        if (operation.equals(name)) {
          return Optional.empty();
        }
        throw ErrorCode.GSI_BUSY.because(gsi + " is busy with " + operation + ": " + step);
      }
      operation = name;
      step = "starting";
      failure = null;
    }
    return Optional.of(CompletableFuture.supplyAsync(() -> run(name, work), thread));
  }

  /** Runs an operation and waits for it. */
  <T> T call(String name, Supplier<T> work) {
    CompletableFuture<T> running =
        start(name, work)
            .orElseThrow(() -> ErrorCode.GSI_BUSY.because(gsi + ": " + name + " runs already"));
    try {
      return running.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof ConcordException known
          ? known
          : ErrorCode.INTERNAL.because(String.valueOf(e.getCause())).withCause(e);
    }
  }

  private <T> T run(String name, Supplier<T> work) {
    try {
      T result = work.get();
      ended(null);
      return result;
    } catch (RuntimeException e) {
      ConcordException known =
          e instanceof ConcordException concord
              ? concord
              : ErrorCode.INTERNAL.because(String.valueOf(e)).withCause(e);
      ended(known);
      logFailure(name, known);
      throw known;
    }
  }

  private synchronized void ended(@Nullable ConcordException how) {
    operation = null;
    step = "idle";
    failure = how;
  }

  private void logFailure(String name, ConcordException failed) {
    String detail = failed.detail() == null ? "" : failed.detail().replace('\n', ';');
    if (failed.code() == ErrorCode.INTERNAL) {
      log.error("gsi operation failed gsi={} operation={}", gsi, name, failed);
    } else {
      log.warn(
          "gsi operation failed gsi={} operation={} code={} message=\"{}\" detail=\"{}\"",
          gsi,
          name,
          failed.code().id(),
          failed.message(),
          detail);
    }
  }

  /** Runs {@code work} after whatever runs now, on the caller's behalf, and waits for it. */
  void force(String name, Runnable work) {
    CompletableFuture.runAsync(
            () -> {
              synchronized (this) {
                operation = name;
                step = "starting";
                failure = null;
              }
              run(
                  name,
                  () -> {
                    work.run();
                    return true;
                  });
            },
            thread)
        .join();
  }

  /** Interrupts what runs and waits a moment for it. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(3, TimeUnit.SECONDS)) {
        log.warn("gsi operation does not stop gsi={} step={}", gsi, activity().step());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
