package org.pgconcord.router.tx;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for whom among the sessions of one router, and the cycles in it. Pure and immutable.
 *
 * @param edges from a waiter to those that it waits for; to itself when one of its transactions
 *     waits for another
 */
record WaitGraph(Map<Waiter, Set<Waiter>> edges) {
  /**
   * A session within one statement: another statement of it is another waiter.
   *
   * @param session the session's number
   * @param statement counts the session's statements
   */
  record Waiter(long session, long statement) {}

  static final WaitGraph EMPTY = new WaitGraph(Map.of());

  WaitGraph {
    Map<Waiter, Set<Waiter>> copy = new LinkedHashMap<>();
    edges.forEach((from, to) -> copy.put(from, Set.copyOf(to)));
    edges = Map.copyOf(copy);
  }

  /** The waits that both graphs have. */
  WaitGraph and(WaitGraph other) {
    Map<Waiter, Set<Waiter>> both = new LinkedHashMap<>();
    edges.forEach(
        (from, to) -> {
          Set<Waiter> common = new HashSet<>(to);
          common.retainAll(other.edges.getOrDefault(from, Set.of()));
          both.put(from, common);
        });
    return new WaitGraph(both);
  }

  /** Cycles that have no member in common; every waiter on any cycle waits for one of them. */
  List<List<Waiter>> cycles() {
    List<List<Waiter>> cycles = new ArrayList<>();
    Set<Waiter> done = new HashSet<>();
    for (Waiter start : edges.keySet()) {
      if (!done.contains(start)) {
        search(start, new LinkedHashSet<>(), done, cycles);
      }
    }
    return cycles;
  }

  /** Depth first; the path is what leads here, a step back into it closes a cycle. */
  private void search(
      Waiter at, LinkedHashSet<Waiter> path, Set<Waiter> done, List<List<Waiter>> cycles) {
    path.add(at);
    for (Waiter next : edges.getOrDefault(at, Set.of())) {
      if (path.contains(next)) {
        List<Waiter> all = new ArrayList<>(path);
        List<Waiter> cycle = all.subList(all.indexOf(next), all.size());
        if (cycle.stream().noneMatch(done::contains)) {
          cycles.add(List.copyOf(cycle));
          done.addAll(cycle);
        }
      } else if (!done.contains(next)) {
        search(next, path, done, cycles);
      }
    }
    path.remove(at);
    done.add(at);
  }
}
