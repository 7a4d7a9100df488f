package org.pgconcord.router.backend;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;

/**
 * Who waits for the primaries of shards that have none just now, in all sessions of a router. While
 * somebody waits for a shard one of them at a time looks for its primary, ten times a second;
 * whoever comes meanwhile waits without a look of its own. When one look has found a server all
 * others look for themselves at once.
 *
 * <p>So a thousand waiting sessions are a thousand timers and one connection attempt. Each waits on
 * its own event loop for its own time and holds up nobody; how many they are is bounded by how many
 * clients there may be. Safe for many threads.
 */
public final class PrimaryWaits {
  private static final long PAUSE_MILLIS = 100;

  private final Duration limit;
  private final Counts counts;
  private final Map<ShardId, Line> lines = new ConcurrentHashMap<>();

  /** What is counted of them. */
  public interface Counts {
    Counts NONE = new Counts() {};

    default void waitBegan() {}

    /** {@code expired}: no primary was found in time. */
    default void waitEnded(boolean expired) {}
  }

  /**
   * @param limit how long each may wait; zero for not at all
   */
  public PrimaryWaits(Duration limit, Counts counts) {
    this.limit = limit;
    this.counts = counts;
  }

  /** Nobody waits. */
  public static PrimaryWaits none() {
    return new PrimaryWaits(Duration.ZERO, Counts.NONE);
  }

  /** Those who wait for one shard. */
  private static final class Line {
    private int waiting;
    private boolean looking;
    private long lookAfter = System.nanoTime();
    private long found;
    private @Nullable Throwable last;

    /** Joins it when there is one; the failure of its last look. */
    synchronized @Nullable Throwable joined() {
      if (waiting == 0 || last == null) {
        return null;
      }
      waiting++;
      return last;
    }

    synchronized void join(Throwable failure) {
      waiting++;
      last = failure;
    }

    synchronized void left() {
      waiting--;
    }

    synchronized boolean crowded() {
      return waiting > 0;
    }

    synchronized long found() {
      return found;
    }

    /** Whether the caller is the one who looks now; it must say {@link #looked}. */
    synchronized boolean look() {
      if (looking || System.nanoTime() - lookAfter < 0) {
        return false;
      }
      looking = true;
      return true;
    }

    synchronized void looked() {
      looking = false;
      lookAfter = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS);
    }

    /** A look has ended; without failure, or with one that is no absence, a server is there. */
    synchronized void ended(@Nullable Throwable failure) {
      if (isAbsence(failure)) {
        last = failure;
      } else {
        found++;
      }
    }

    synchronized @Nullable Throwable last() {
      return last;
    }
  }

  static boolean isAbsence(@Nullable Throwable failure) {
    return failure instanceof ConcordException known && known.code() == ErrorCode.SHARD_NO_PRIMARY;
  }

  /**
   * Begins to look for a primary, and waits for one when there is none. Used on {@code loop}.
   *
   * @param search one look; completes on the loop
   */
  Wait begin(
      EventLoop loop, ShardId shard, Supplier<CompletableFuture<NettyBackendConnection>> search) {
    Wait wait = new Wait(loop, lines.computeIfAbsent(shard, s -> new Line()), search);
    wait.begin();
    return wait;
  }

  /** Whether somebody waits for the shard's primary. */
  boolean awaited(ShardId shard) {
    Line line = lines.get(shard);
    return line != null && line.crowded();
  }

  /** One need of a backend, until it is met, or nobody can meet it, or nobody has it any more. */
  @SuppressWarnings("FutureReturnValueIgnored") // how it ends is told by the result
  final class Wait {
    private final EventLoop loop;
    private final Line line;
    private final Supplier<CompletableFuture<NettyBackendConnection>> search;
    private final CompletableFuture<NettyBackendConnection> result = new CompletableFuture<>();
    private final long began = System.nanoTime();
    private long seen;
    private boolean waiting;

    private Wait(
        EventLoop loop, Line line, Supplier<CompletableFuture<NettyBackendConnection>> search) {
      this.loop = loop;
      this.line = line;
      this.search = search;
    }

    CompletableFuture<NettyBackendConnection> result() {
      return result;
    }

    /** Nobody needs the backend any more; what comes for it is closed. */
    void end(Throwable why) {
      end(null, why, false);
    }

    private void begin() {
      seen = line.found();
      Throwable absent = limit.isZero() ? null : line.joined();
      if (absent != null) {
        awaitPrimary();
        return;
      }
      search.get().whenComplete(this::lookedFirst);
    }

    private void lookedFirst(
        @Nullable NettyBackendConnection connection, @Nullable Throwable failure) {
      if (failure != null && isAbsence(failure) && !result.isDone() && left() > 0) {
        line.join(failure);
        awaitPrimary();
      } else {
        end(connection, failure, false);
      }
    }

    private long left() {
      return limit.toNanos() - (System.nanoTime() - began);
    }

    private void awaitPrimary() {
      waiting = true;
      counts.waitBegan();
      loop.schedule(this::expire, left(), TimeUnit.NANOSECONDS);
      lookLater();
    }

    private void lookLater() {
      loop.schedule(this::look, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
      if (result.isDone()) {
        return;
      }
      long found = line.found();
      if (found != seen) {
        seen = found;
        search.get().whenComplete((connection, failure) -> looked(connection, failure));
      } else if (line.look()) {
        search
            .get()
            .whenComplete(
                (connection, failure) -> {
                  line.looked();
                  looked(connection, failure);
                });
      } else {
        lookLater();
      }
    }

    /** Whoever has given up meanwhile still says what it has seen. */
    private void looked(@Nullable NettyBackendConnection connection, @Nullable Throwable failure) {
      if (!isAbsence(failure)) {
        line.ended(failure);
        end(connection, failure, false);
        return;
      }
      line.ended(failure);
      if (!result.isDone()) {
        lookLater();
      }
    }

    private void expire() {
      if (line.last() instanceof ConcordException last) {
        String told = "Waited for %d ms. %s".formatted(limit.toMillis(), last.detail());
        end(null, last.withDetail(told), true);
      }
    }

    private void end(
        @Nullable NettyBackendConnection connection, @Nullable Throwable failure, boolean expired) {
      if (result.isDone()) {
        if (connection != null) {
          connection.close();
        }
        return;
      }
      if (waiting) {
        waiting = false;
        line.left();
        counts.waitEnded(expired);
      }
      if (connection != null) {
        result.complete(connection);
      } else {
        result.completeExceptionally(failure);
      }
    }
  }
}
