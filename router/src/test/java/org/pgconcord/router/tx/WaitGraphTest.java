package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Deadlocks.Backend;
import org.pgconcord.router.tx.Deadlocks.Wait;

class WaitGraphTest {
  private static final ShardId SHARD = new ShardId("a");

  private static Wait wait(long waiter, long blocker, long since) {
    return new Wait(waiter, new Backend(SHARD, (int) waiter), since, blocker);
  }

  private static WaitGraph graph(long... pairs) {
    Set<Wait> waits = new HashSet<>();
    for (int i = 0; i < pairs.length; i += 2) {
      waits.add(wait(pairs[i], pairs[i + 1], 1));
    }
    return new WaitGraph(waits);
  }

  @Test
  void aChainIsNoCycle() {
    assertThat(graph(1, 2, 2, 3, 1, 3).cycles()).isEmpty();
  }

  @Test
  void twoThatWaitForEachOtherAreOne() {
    assertThat(graph(1, 2, 2, 1, 3, 1).cycles())
        .singleElement()
        .satisfies(c -> assertThat(c).containsExactlyInAnyOrder(1L, 2L));
  }

  @Test
  void aSessionThatWaitsForItselfIsOne() {
    assertThat(graph(1, 1).cycles()).containsExactly(List.of(1L));
  }

  @Test
  void separateCyclesAreAllFound() {
    assertThat(graph(1, 2, 2, 1, 3, 4, 4, 5, 5, 3).cycles()).hasSize(2);
  }

  @Test
  void theLatestWaitWithinTheCycleCounts() {
    WaitGraph graph = new WaitGraph(Set.of(wait(1, 2, 5), wait(1, 3, 9), wait(2, 1, 7)));
    assertThat(graph.since(1L, List.of(1L, 2L))).isEqualTo(5);
    assertThat(graph.since(2L, List.of(1L, 2L))).isEqualTo(7);
  }

  /** However a router came to know the waits, it finds the cycles that the others find. */
  @Test
  void everyRouterFindsTheSameCycles() {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      List<Wait> waits = new ArrayList<>(graph(pairs(random)).waits());
      List<List<Long>> one = new WaitGraph(new LinkedHashSet<>(waits)).cycles();
      Collections.shuffle(waits, random);
      List<List<Long>> other = new WaitGraph(new LinkedHashSet<>(waits)).cycles();
      assertThat(other).as("seed %d round %d", seed, round).isEqualTo(one);
    }
  }

  /** Without one member of each cycle that was found, and again, no cycle is left at last. */
  @Test
  void endingOneOfEachEndsAll() {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      long[] pairs = pairs(random);
      WaitGraph graph = graph(pairs);
      int ended = 0;
      while (!graph.cycles().isEmpty()) {
        Set<Long> victims =
            graph.cycles().stream().map(cycle -> cycle.get(0)).collect(Collectors.toSet());
        graph = without(graph, victims);
        ended += victims.size();
      }
      assertThat(ended > 0).as("seed %d round %d", seed, round).isEqualTo(cyclic(graph(pairs)));
    }
  }

  private static long[] pairs(Random random) {
    long[] pairs = new long[2 * (1 + random.nextInt(14))];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = random.nextInt(8);
    }
    return pairs;
  }

  private static WaitGraph without(WaitGraph graph, Set<Long> ended) {
    return new WaitGraph(
        graph.waits().stream()
            .filter(w -> !ended.contains(w.waiter()) && !ended.contains(w.blocker()))
            .collect(Collectors.toSet()));
  }

  /** Peels off who waits for nobody; what is left is on or behind a cycle. */
  private static boolean cyclic(WaitGraph graph) {
    Map<Long, Set<Long>> left = new HashMap<>();
    graph
        .waits()
        .forEach(w -> left.computeIfAbsent(w.waiter(), s -> new HashSet<>()).add(w.blocker()));
    while (true) {
      left.values().forEach(to -> to.retainAll(left.keySet()));
      if (!left.values().removeIf(Set::isEmpty)) {
        return !left.isEmpty();
      }
    }
  }
}
