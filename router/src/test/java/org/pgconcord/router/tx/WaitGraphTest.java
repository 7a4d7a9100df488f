package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.pgconcord.router.tx.WaitGraph.Waiter;

class WaitGraphTest {
  private static Waiter waiter(int session) {
    return new Waiter(session, 1);
  }

  private static WaitGraph graph(int... pairs) {
    Map<Waiter, Set<Waiter>> edges = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      edges.computeIfAbsent(waiter(pairs[i]), w -> new HashSet<>()).add(waiter(pairs[i + 1]));
    }
    return new WaitGraph(edges);
  }

  @Test
  void aChainIsNoCycle() {
    assertThat(graph(1, 2, 2, 3, 1, 3).cycles()).isEmpty();
  }

  @Test
  void twoThatWaitForEachOtherAreOne() {
    assertThat(graph(1, 2, 2, 1, 3, 1).cycles())
        .singleElement()
        .satisfies(c -> assertThat(c).containsExactlyInAnyOrder(waiter(1), waiter(2)));
  }

  @Test
  void aSessionThatWaitsForItselfIsOne() {
    assertThat(graph(1, 1).cycles()).containsExactly(List.of(waiter(1)));
  }

  @Test
  void separateCyclesAreAllFound() {
    assertThat(graph(1, 2, 2, 1, 3, 4, 4, 5, 5, 3).cycles()).hasSize(2);
  }

  @Test
  void onlyWaitsOfBothLooksCount() {
    assertThat(graph(1, 2, 2, 1).and(graph(1, 2)).cycles()).isEmpty();
    Map<Waiter, Set<Waiter>> later =
        Map.of(waiter(1), Set.of(new Waiter(2, 2)), new Waiter(2, 2), Set.of(waiter(1)));
    assertThat(new WaitGraph(later).and(graph(1, 2, 2, 1)).cycles()).isEmpty();
  }

  /** Without one waiter of each cycle that was found, and again, no cycle is left at last. */
  @Test
  void endingOneOfEachEndsAll() {
    long seed = Long.getLong("pgconcord.seed", new Random().nextLong());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      int[] pairs = new int[2 * (1 + random.nextInt(14))];
      for (int i = 0; i < pairs.length; i++) {
        pairs[i] = random.nextInt(8);
      }
      WaitGraph graph = graph(pairs);
      int ended = 0;
      while (!graph.cycles().isEmpty()) {
        List<Waiter> victims = new ArrayList<>();
        graph.cycles().forEach(cycle -> victims.add(cycle.get(0)));
        graph = without(graph, victims);
        ended += victims.size();
      }
      assertThat(ended > 0).as("seed %d round %d", seed, round).isEqualTo(cyclic(graph(pairs)));
    }
  }

  private static WaitGraph without(WaitGraph graph, List<Waiter> ended) {
    Map<Waiter, Set<Waiter>> edges = new HashMap<>();
    graph
        .edges()
        .forEach(
            (from, to) -> {
              if (!ended.contains(from)) {
                edges.put(from, new HashSet<>(to));
                edges.get(from).removeAll(ended);
              }
            });
    return new WaitGraph(edges);
  }

  /** Peels off who waits for nobody; what is left is on or behind a cycle. */
  private static boolean cyclic(WaitGraph graph) {
    Map<Waiter, Set<Waiter>> left = new HashMap<>();
    graph.edges().forEach((from, to) -> left.put(from, new HashSet<>(to)));
    while (true) {
      left.values().forEach(to -> to.retainAll(left.keySet()));
      if (!left.values().removeIf(Set::isEmpty)) {
        return !left.isEmpty();
      }
    }
  }
}
