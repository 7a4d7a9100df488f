package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.HandOvers.Rest;

/** Who waits for the end of a decided transaction, and what he hears. */
class HandOversTest {
  private static final Set<ShardId> B = Set.of(new ShardId("shard-b"));
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(300);

  @Test
  void itIsAskedAgainUntilAllHasEnded() {
    List<Set<String>> asked = new CopyOnWriteArrayList<>();
    try (HandOvers handOvers =
        new HandOvers(
            transactions -> {
              asked.add(transactions);
              return asked.size() < 3 ? Map.of("one", B) : Map.of();
            },
            () -> LONG)) {
      assertThat(handOvers.add("one").join()).isEqualTo(Rest.NONE);
      assertThat(asked).containsExactly(Set.of("one"), Set.of("one"), Set.of("one"));
    }
  }

  @Test
  void allThatWaitAreAskedForInOneRound() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    List<Set<String>> asked = new CopyOnWriteArrayList<>();
    try (HandOvers handOvers =
        new HandOvers(
            transactions -> {
              asked.add(transactions);
              await(go);
              return asked.size() == 1 ? Map.of("one", B) : Map.of();
            },
            () -> LONG)) {
      CompletableFuture<Rest> one = handOvers.add("one");
      while (asked.isEmpty()) {
        Thread.onSpinWait();
      }
      CompletableFuture<Rest> two = handOvers.add("two");
      go.countDown();
      assertThat(one.join()).isEqualTo(Rest.NONE);
      assertThat(two.join()).isEqualTo(Rest.NONE);
      assertThat(asked).containsExactly(Set.of("one"), Set.of("one", "two"));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoHasWaitedLongEnoughHearsWhereItHangs() {
    try (HandOvers handOvers = new HandOvers(transactions -> left(transactions), () -> SHORT)) {
      assertThat(handOvers.add("one").join()).isEqualTo(Rest.on(B));
    }
  }

  private static Map<String, Set<ShardId>> left(Set<String> transactions) {
    Map<String, Set<ShardId>> left = new HashMap<>();
    transactions.forEach(transaction -> left.put(transaction, B));
    return left;
  }

  @Test
  void aResolverThatFailsIsAskedAgain() {
    AtomicReference<Integer> asked = new AtomicReference<>(0);
    try (HandOvers handOvers =
        new HandOvers(
            transactions -> {
              if (asked.updateAndGet(n -> n + 1) < 3) {
                throw new IllegalStateException("the catalog is down");
              }
              return Map.of();
            },
            () -> LONG)) {
      assertThat(handOvers.add("one").join()).isEqualTo(Rest.NONE);
    }
    try (HandOvers handOvers =
        new HandOvers(
            transactions -> {
              throw new IllegalStateException("the catalog is down");
            },
            () -> SHORT)) {
      assertThat(handOvers.add("one").join()).isEqualTo(Rest.NOT_KNOWN);
    }
  }

  @Test
  void theEndOfTheRouterLeavesNobodyWaiting() {
    HandOvers handOvers = new HandOvers(transactions -> left(transactions), () -> LONG);
    CompletableFuture<Rest> one = handOvers.add("one");
    handOvers.close();
    assertThat(one.join().ended()).isFalse();
  }
}
