package org.pgconcord.router.tx;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decided transactions whose rest the resolver has to end, and the sessions that wait for that.
 *
 * <p>All that wait are tried together, again and again, over one round of sessions with the shards:
 * a server that comes back finds one resolver at its door, not one for each client. Who has waited
 * long enough is told where it still hangs; the resolver's own rounds go on without him. The
 * resolver blocks, so it has a thread here; any thread adds.
 */
public final class HandOvers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HandOvers.class);

  /** How long a client's COMMIT is held: a server that restarts is back within it. */
  public static final Duration HELD = Duration.ofSeconds(10);

  /** Between rounds: the first ones follow quickly, later ones spare a server that is down. */
  private static final Duration SOONEST = Duration.ofMillis(200);

  private static final Duration LATEST = Duration.ofSeconds(1);

  /**
   * What is left of a transaction.
   *
   * @param ended nothing
   * @param shards where something is; empty when nobody could tell
   */
  public record Rest(boolean ended, Set<ShardId> shards) {
    static final Rest NONE = new Rest(true, Set.of());
    static final Rest NOT_KNOWN = new Rest(false, Set.of());

    public Rest {
      shards = Set.copyOf(shards);
    }

    static Rest on(Set<ShardId> shards) {
      return new Rest(false, shards);
    }
  }

  /** One that waits. */
  private static final class Waiting {
    private final CompletableFuture<Rest> answer = new CompletableFuture<>();
    private volatile Rest last = Rest.NOT_KNOWN;
  }

  private final Function<Set<String>, Map<String, Set<ShardId>>> resolver;
  private final Supplier<Duration> held;
  private final ConcurrentMap<String, Waiting> waiting = new ConcurrentHashMap<>();
  private final AtomicBoolean due = new AtomicBoolean();

  /** Touched by the thread alone. */
  private Duration pause = SOONEST;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread made = new Thread(work, "endings");
            made.setDaemon(true);
            return made;
          });

  /**
   * @param resolver ends these transactions as they are decided, as far as that is possible now;
   *     those that have not ended, and on which shards; blocks
   * @param held the longest wait, for one that begins now
   */
  public HandOvers(
      Function<Set<String>, Map<String, Set<ShardId>>> resolver, Supplier<Duration> held) {
    this.resolver = resolver;
    this.held = held;
  }

  /** Completes when the transaction has ended on all its shards, or with what is left of it. */
  CompletableFuture<Rest> add(String transaction) {
    Waiting added = new Waiting();
    waiting.put(transaction, added);
    CompletableFuture.delayedExecutor(held.get().toMillis(), TimeUnit.MILLISECONDS)
        .execute(() -> answer(transaction, added.last));
    askSoon(Duration.ZERO);
    return added.answer;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // it catches what it may meet
  private void askSoon(Duration delay) {
    if (!thread.isShutdown() && due.compareAndSet(false, true)) {
      thread.schedule(this::ask, delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void ask() {
    due.set(false);
    Set<String> asked = new TreeSet<>(waiting.keySet());
    try {
      Map<String, Set<ShardId>> left = asked.isEmpty() ? Map.of() : resolver.apply(asked);
      asked.forEach(transaction -> heard(transaction, left.get(transaction)));
    } catch (RuntimeException e) {
      LOG.warn("decided transactions were not ended transactions={}", asked, e);
    }
    if (waiting.isEmpty()) {
      pause = SOONEST;
    } else {
      askSoon(pause);
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LATEST) < 0 ? longer : LATEST;
    }
  }

  private void heard(String transaction, @Nullable Set<ShardId> left) {
    if (left == null) {
      answer(transaction, Rest.NONE);
      return;
    }
    Waiting still = waiting.get(transaction);
    if (still != null) {
      still.last = Rest.on(left);
    }
  }

  private void answer(String transaction, Rest rest) {
    Waiting ended = waiting.remove(transaction);
    if (ended != null) {
      ended.answer.complete(rest);
    }
  }

  /** Whoever waits hears what is known. */
  @Override
  public void close() {
    thread.shutdown();
    Set.copyOf(waiting.keySet()).forEach(transaction -> answer(transaction, Rest.NOT_KNOWN));
  }
}
