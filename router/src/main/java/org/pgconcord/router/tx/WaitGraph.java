package org.pgconcord.router.tx;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.router.tx.Deadlocks.Wait;

/**
 * Who waits for whom among sessions, and the cycles in it. Pure and immutable.
 *
 * @param waits of a session for itself when one of its transactions waits for another
 */
record WaitGraph(Set<Wait> waits) {
  WaitGraph {
    waits = Set.copyOf(waits);
  }

  /**
   * Cycles that have no member in common; every session on any cycle waits for one of them. The
   * same ones whoever asks: routers that see one graph must not end several of its members.
   */
  List<List<Long>> cycles() {
    Map<Long, Set<Long>> edges = new TreeMap<>();
    waits.forEach(w -> edges.computeIfAbsent(w.waiter(), s -> new TreeSet<>()).add(w.blocker()));
    List<List<Long>> cycles = new ArrayList<>();
    Set<Long> done = new HashSet<>();
    for (Long start : edges.keySet()) {
      if (!done.contains(start)) {
        search(edges, start, new LinkedHashSet<>(), done, cycles);
      }
    }
    return cycles;
  }

  /** Depth first; the path is what leads here, a step back into it closes a cycle. */
  private static void search(
      Map<Long, Set<Long>> edges,
      Long at,
      LinkedHashSet<Long> path,
      Set<Long> done,
      List<List<Long>> cycles) {
    path.add(at);
    for (Long next : edges.getOrDefault(at, Set.of())) {
      if (path.contains(next)) {
        List<Long> all = new ArrayList<>(path);
        List<Long> cycle = all.subList(all.indexOf(next), all.size());
        if (cycle.stream().noneMatch(done::contains)) {
          cycles.add(List.copyOf(cycle));
          done.addAll(cycle);
        }
      } else if (!done.contains(next)) {
        search(edges, next, path, done, cycles);
      }
    }
    path.remove(at);
    done.add(at);
  }

  /** When a session's latest wait among these sessions began, by its server's clock. */
  long since(Long session, List<Long> cycle) {
    return waits.stream()
        .filter(w -> w.waiter() == session && cycle.contains(w.blocker()))
        .mapToLong(Wait::since)
        .max()
        .orElse(0);
  }
}
