package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Deadlocks.Backend;
import org.pgconcord.router.tx.Deadlocks.Block;
import org.pgconcord.router.tx.Deadlocks.Published;

/** Two routers over two servers, and what each sees of the waits there, moment by moment. */
class DeadlocksTest {
  private static final ShardId A = new ShardId("a");
  private static final ShardId B = new ShardId("b");

  private final List<String> ended = new ArrayList<>();
  private final Set<Block> waits = new HashSet<>();
  private long nanos;
  private Router one;
  private Router other;

  @BeforeEach
  void twoRouters() {
    one = new Router("one", 1);
    other = new Router("other", 2);
  }

  /** A router with one session, whose backend's number on each server is the router's. */
  private final class Router {
    final String name;
    final int number;
    final long mark;
    final Deadlocks deadlocks = new Deadlocks(() -> nanos);

    Router(String name, int number) {
      this.name = name;
      this.number = number;
      this.mark = (long) number << 32 | 7;
    }

    Backend on(ShardId shard) {
      return new Backend(shard, number);
    }

    Router waitingOn(ShardId shard) {
      publish(shard, true, false);
      return this;
    }

    void publish(ShardId shard, boolean interruptible, boolean ending) {
      deadlocks.publish(
          new Published(
              mark,
              Set.of(on(A), on(B)),
              Set.of(on(shard)),
              interruptible,
              ending,
              () -> ended.add(name)));
    }

    /** True when another look soon would say more. */
    boolean looks() {
      return looks(Set.of(A, B));
    }

    boolean looks(Set<ShardId> answering) {
      Set<Backend> asked = deadlocks.look(mark).orElseThrow();
      Map<ShardId, Set<Block>> narrow =
          seen(
              asked.stream().map(Backend::shard).filter(answering::contains).toList(),
              block -> asked.contains(block.waiting()));
      return deadlocks.looked(
          deadlocks.wide(narrow) ? seen(List.copyOf(answering), block -> true) : narrow,
          Duration.ofMillis(1));
    }

    private Map<ShardId, Set<Block>> seen(List<ShardId> shards, Predicate<Block> which) {
      return shards.stream()
          .collect(
              Collectors.toMap(
                  shard -> shard,
                  shard ->
                      waits.stream()
                          .filter(b -> b.waiting().shard().equals(shard) && which.test(b))
                          .collect(Collectors.toSet()),
                  (x, y) -> x));
    }
  }

  private static Block block(Router waiter, Router blocker, ShardId shard, long since) {
    return new Block(waiter.on(shard), waiter.mark, since, blocker.on(shard), blocker.mark);
  }

  private void crossed() {
    waits.add(block(one, other, A, 100));
    waits.add(block(other, one, B, 200));
    one.waitingOn(A);
    other.waitingOn(B);
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
  }

  @Test
  void theOneThatWaitedLastEndsAndOnlyThatOne() {
    crossed();
    for (Router router : List.of(one, other)) {
      assertThat(router.looks()).isTrue();
      pass(Duration.ofMillis(50));
      assertThat(router.looks()).isFalse();
    }
    assertThat(ended).containsExactly("other");
  }

  @Test
  void oneLookIsNotEnough() {
    crossed();
    one.looks();
    other.looks();
    assertThat(ended).isEmpty();
  }

  /** The waits that the two looks show never were at once. */
  @Test
  void aWaitThatBeganAnewIsAnotherOne() {
    crossed();
    other.looks();
    waits.remove(block(one, other, A, 100));
    waits.add(block(one, other, A, 150));
    pass(Duration.ofMillis(50));
    other.looks();
    assertThat(ended).isEmpty();
    pass(Duration.ofMillis(50));
    other.looks();
    assertThat(ended).containsExactly("other");
  }

  @Test
  void aWaitThatIsGoneInTheSecondLookEndsNobody() {
    crossed();
    other.looks();
    waits.remove(block(one, other, A, 100));
    pass(Duration.ofSeconds(1));
    other.looks();
    assertThat(ended).isEmpty();
  }

  /** Looks at own waits alone lie between those at all servers, and forget nothing. */
  @Test
  void narrowLooksBetweenDoNotMatter() {
    waits.add(block(other, one, B, 200));
    other.waitingOn(B);
    other.looks();
    crossed();
    pass(Duration.ofMillis(200));
    other.looks();
    pass(Duration.ofSeconds(1));
    other.looks();
    assertThat(ended).isEmpty();
    pass(Duration.ofMillis(10));
    other.looks();
    pass(Duration.ofMillis(50));
    other.looks();
    assertThat(ended).containsExactly("other");
  }

  @Test
  void whenTheChosenOneDoesNotEndTheNextIs() {
    crossed();
    one.looks();
    pass(Duration.ofMillis(50));
    one.looks();
    pass(Duration.ofMillis(4_900));
    one.looks();
    assertThat(ended).isEmpty();
    pass(Duration.ofMillis(200));
    one.looks();
    assertThat(ended).containsExactly("one");
  }

  @Test
  void whoCommitsIsNotEndedAndTheOtherRouterEndsItsOwn() {
    crossed();
    other.publish(B, false, false);
    for (int i = 0; i < 60; i++) {
      one.looks();
      other.looks();
      pass(Duration.ofMillis(200));
    }
    assertThat(ended).contains("one").doesNotContain("other");
  }

  @Test
  void whoIsBeingEndedIsEnough() {
    crossed();
    other.publish(B, false, true);
    for (int i = 0; i < 10; i++) {
      other.looks();
      pass(Duration.ofSeconds(1));
    }
    assertThat(ended).isEmpty();
  }

  @Test
  void aServerThatDoesNotAnswerHidesItsWaitsAndMakesNone() {
    crossed();
    for (int i = 0; i < 5; i++) {
      other.looks(Set.of(B));
      pass(Duration.ofSeconds(1));
    }
    assertThat(ended).isEmpty();
    other.looks();
    pass(Duration.ofMillis(50));
    other.looks();
    assertThat(ended).containsExactly("other");
  }

  /** Of a router that knows no marks, or through a prepared transaction. */
  @Test
  void whoHasNoMarkIsNobody() {
    waits.add(new Block(one.on(A), one.mark, 100, new Backend(A, 0), 0));
    waits.add(new Block(new Backend(B, 9), 0, 200, one.on(B), one.mark));
    one.waitingOn(A);
    for (int i = 0; i < 5; i++) {
      one.looks();
      pass(Duration.ofSeconds(1));
    }
    assertThat(ended).isEmpty();
  }

  @Test
  void ownBackendsAreKnownWithoutAMark() {
    waits.add(new Block(one.on(A), 0, 100, one.on(A), 0));
    one.waitingOn(A);
    one.looks();
    pass(Duration.ofMillis(50));
    one.looks();
    assertThat(ended).containsExactly("one");
  }

  @Test
  void oneSessionLooksForAllUntilItsStatementEnds() {
    one.waitingOn(A);
    one.looks();
    long sibling = one.mark + 1;
    one.deadlocks.publish(
        new Published(sibling, Set.of(), Set.of(), true, false, () -> ended.add("sibling")));
    assertThat(one.deadlocks.look(sibling)).isEmpty();
    one.deadlocks.withdraw(one.mark);
    assertThat(one.deadlocks.look(sibling)).isPresent();
  }

  /** Who waits for a session of another router that may do anything: all are asked, but seldom. */
  @Test
  void allServersAreAskedOnceInASecond() {
    waits.add(block(one, other, A, 100));
    one.waitingOn(A);
    int wide = 0;
    for (int i = 0; i < 50; i++) {
      assertThat(one.deadlocks.look(one.mark)).isPresent();
      Map<ShardId, Set<Block>> narrow = Map.of(A, waits);
      wide += one.deadlocks.wide(narrow) ? 1 : 0;
      one.deadlocks.looked(narrow, Duration.ofMillis(1));
      pass(Duration.ofMillis(100));
    }
    assertThat(wide).isEqualTo(5);
  }

  /** Of a thousand waits on each of many servers; nobody is to wait for those who ask. */
  @Test
  void anAnswerThatTookLongIsFollowedByARest() {
    one.waitingOn(A);
    one.deadlocks.look(one.mark);
    one.deadlocks.looked(Map.of(A, Set.of()), Duration.ofMillis(100));
    pass(Duration.ofMillis(800));
    assertThat(one.deadlocks.look(one.mark)).isEmpty();
    pass(Duration.ofMillis(200));
    assertThat(one.deadlocks.look(one.mark)).isPresent();
  }

  @Test
  void whoGetsNoAnswerLeavesItToAnother() {
    one.waitingOn(A);
    long sibling = one.mark + 1;
    one.deadlocks.publish(
        new Published(sibling, Set.of(), Set.of(), true, false, () -> ended.add("sibling")));
    one.looks(Set.of());
    assertThat(one.deadlocks.look(sibling)).isPresent();
  }
}
