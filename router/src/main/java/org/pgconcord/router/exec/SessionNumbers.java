package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.entries.ServiceSessions;
import org.pgconcord.router.plan.NumberEdits;
import org.pgconcord.router.plan.NumberedSequence;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.tx.TransactionMetrics;

/**
 * Numbers for a session's statements: from the router's blocks, and from new ones when those are
 * used up. It remembers what the session was given last, which is what {@code currval} tells.
 */
final class SessionNumbers {
  /** Other sessions may be faster with every block that comes. */
  private static final int ROUNDS = 100;

  private final NumberBlocks blocks;
  private final ServiceSessions sessions;
  private final BlockReservation reservation;
  private final TransactionMetrics metrics;
  private final String database;
  private final Executor loop;
  private final Map<NumberBlocks.Sequence, Long> last = new HashMap<>();

  SessionNumbers(
      NumberBlocks blocks,
      ShardId home,
      ServiceSessions sessions,
      TransactionMetrics metrics,
      String database,
      Executor loop) {
    this.blocks = blocks;
    this.sessions = sessions;
    this.reservation = new BlockReservation(home, sessions);
    this.metrics = metrics;
    this.database = database;
    this.loop = loop;
  }

  /** Numbers for each slot of the statement. */
  CompletableFuture<List<long[]>> take(Plan.Numbered plan) {
    List<long[]> all = new ArrayList<>();
    CompletableFuture<Void> taken = CompletableFuture.completedFuture(null);
    for (NumberEdits.Slot slot : plan.edits().slots()) {
      NumberBlocks.Sequence key = new NumberBlocks.Sequence(database, slot.sequence().name());
      taken =
          taken.thenCompose(
              before ->
                  slot.current()
                      ? current(key, all)
                      : take(key, slot.sequence(), slot.count(), ROUNDS)
                          .thenAccept(numbers -> given(key, numbers, all)));
    }
    return taken.thenApply(done -> all);
  }

  /** So many numbers of one sequence. */
  CompletableFuture<long[]> take(NumberedSequence sequence, int count) {
    NumberBlocks.Sequence key = new NumberBlocks.Sequence(database, sequence.name());
    return take(key, sequence, count, ROUNDS)
        .whenComplete(
            (numbers, failure) -> {
              if (failure == null) {
                given(key, numbers, new ArrayList<>());
              }
            });
  }

  /** Forgets what was given, as {@code DISCARD} does. */
  void forget() {
    last.clear();
  }

  private void given(NumberBlocks.Sequence sequence, long[] numbers, List<long[]> all) {
    all.add(numbers);
    if (numbers.length > 0) {
      last.put(sequence, numbers[numbers.length - 1]);
    }
  }

  private CompletableFuture<Void> current(NumberBlocks.Sequence sequence, List<long[]> all) {
    Long number = last.get(sequence);
    if (number == null) {
      return CompletableFuture.failedFuture(
          ErrorCode.WRITE_NUMBER_NOT_GIVEN.because(
              "currval of sequence \"%s\" is not yet defined in this session"
                  .formatted(sequence.name().name())));
    }
    all.add(new long[] {number});
    return CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<long[]> take(
      NumberBlocks.Sequence key, NumberedSequence sequence, int count, int rounds) {
    Optional<long[]> there = blocks.take(key, count);
    if (there.isPresent()) {
      return CompletableFuture.completedFuture(there.get());
    } else if (rounds == 0) {
      return CompletableFuture.failedFuture(
          ErrorCode.CATALOG_UNAVAILABLE.because("no block of numbers could be reserved"));
    }
    return blocks
        .reserve(key, () -> reserve(key, sequence, count), sessions.lockTimeout(), loop)
        .thenCompose(added -> take(key, sequence, count, rounds - 1));
  }

  private CompletableFuture<Void> reserve(
      NumberBlocks.Sequence key, NumberedSequence sequence, int count) {
    return reservation
        .reserve(sequence, count)
        .thenAccept(
            block -> {
              metrics.blockReserved();
              blocks.add(key, block.first(), block.increment(), block.count());
            });
  }
}
