package org.pgconcord.router.exec;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.pgconcord.config.value.TableName;

/**
 * The numbers that this router has reserved and not given out yet, of each sequence. What is left
 * of them when it ends is never used. Any thread may call it.
 *
 * <p>A number is given once: blocks come in by {@link #add} alone, which is called with what the
 * catalog has given to this router and to nobody else, and go out by {@link #take}, which cuts them
 * from the front under the monitor.
 */
final class NumberBlocks {
  /** A sequence of a logical database. */
  record Sequence(String database, TableName name) {}

  /** Numbers from {@code next} on, {@code left} of them. */
  private record Block(long next, long increment, long left) {}

  private final Map<Sequence, Deque<Block>> blocks = new HashMap<>();
  private final Map<Sequence, CompletableFuture<Void>> reservations = new HashMap<>();

  /** So many numbers, or none when there are not so many. */
  synchronized Optional<long[]> take(Sequence sequence, int count) {
    Deque<Block> own = blocks.getOrDefault(sequence, new ArrayDeque<>());
    if (own.stream().mapToLong(Block::left).sum() < count) {
      return Optional.empty();
    }
    long[] numbers = new long[count];
    int given = 0;
    while (given < count) {
      Block block = own.remove();
      int part = (int) Math.min(block.left(), count - given);
      for (int i = 0; i < part; i++) {
        numbers[given++] = block.next() + i * block.increment();
      }
      if (part < block.left()) {
        long next = block.next() + part * block.increment();
        own.addFirst(new Block(next, block.increment(), block.left() - part));
      }
    }
    return Optional.of(numbers);
  }

  /** Adds a block that the catalog has given to this router alone. */
  synchronized void add(Sequence sequence, long first, long increment, long count) {
    blocks
        .computeIfAbsent(sequence, s -> new ArrayDeque<>())
        .add(new Block(first, increment, count));
  }

  /**
   * Runs {@code reservation}, or waits for that of another session, so that a burst of sessions
   * takes one block and not one each. The future completes on {@code loop}; however it completes,
   * {@link #take} tells what there is now.
   *
   * @param longest how long to wait for the other; it may hang with its server
   */
  CompletableFuture<Void> reserve(
      Sequence sequence,
      Supplier<CompletableFuture<Void>> reservation,
      Duration longest,
      Executor loop) {
    CompletableFuture<Void> own = new CompletableFuture<>();
    CompletableFuture<Void> other;
    synchronized (this) {
      other = reservations.putIfAbsent(sequence, own);
    }
    if (other != null) {
      return other
          .copy()
          .exceptionally(failure -> null)
          .completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS)
          .thenRunAsync(() -> abandon(sequence, other), loop);
    }
    return reservation
        .get()
        .whenComplete(
            (done, failure) -> {
              abandon(sequence, own);
              own.complete(null);
            });
  }

  /** The next who needs a block reserves it by itself. */
  private synchronized void abandon(Sequence sequence, CompletableFuture<Void> reservation) {
    reservations.remove(sequence, reservation);
  }
}
