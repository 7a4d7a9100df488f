package org.pgconcord.testkit.history;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Who must have come before whom, and why: a graph of transactions. */
final class Dependencies {
  /** Why one comes before another. */
  enum Why {
    /** The second overwrote the first's version. */
    WRITE_WRITE,
    /** The second read the first's version. */
    WRITE_READ,
    /** The second overwrote what the first had read. */
    READ_WRITE
  }

  record Edge(int from, int to, Why why, String key) {
    @Override
    public String toString() {
      String arrow =
          switch (why) {
            case WRITE_WRITE -> "ww";
            case WRITE_READ -> "wr";
            case READ_WRITE -> "rw";
          };
      return "T" + from + " -" + arrow + "(" + key + ")-> T" + to;
    }
  }

  private final Map<Integer, Set<Edge>> edges = new TreeMap<>();

  void add(int from, int to, Why why, String key) {
    if (from != to) {
      edges.computeIfAbsent(from, f -> new HashSet<>()).add(new Edge(from, to, why, key));
    }
  }

  List<Edge> all(Why why) {
    return edges.values().stream()
        .flatMap(Set::stream)
        .filter(edge -> edge.why() == why)
        .sorted(java.util.Comparator.comparing(Edge::toString))
        .toList();
  }

  /** A shortest way over edges of these kinds; empty when there is none. */
  List<Edge> way(int from, int to, Set<Why> kinds) {
    return way(from, to, edge -> kinds.contains(edge.why()));
  }

  /** A shortest way back over edges of one list. */
  List<Edge> way(int from, int to, Set<Why> kinds, String key) {
    return way(from, to, edge -> kinds.contains(edge.why()) && edge.key().equals(key));
  }

  private List<Edge> way(int from, int to, Predicate<Edge> allowed) {
    Map<Integer, Edge> arrived = new HashMap<>();
    Set<Integer> seen = new TreeSet<>(Set.of(from));
    Deque<Integer> next = new ArrayDeque<>(Set.of(from));
    while (!next.isEmpty()) {
      for (Edge edge : edges.getOrDefault(next.remove(), Set.of())) {
        if (!allowed.test(edge) || !seen.add(edge.to())) {
          continue;
        }
        arrived.put(edge.to(), edge);
        next.add(edge.to());
        if (edge.to() == to) {
          return back(arrived, from, to);
        }
      }
    }
    return List.of();
  }

  private static List<Edge> back(Map<Integer, Edge> arrived, int from, int to) {
    Deque<Edge> way = new ArrayDeque<>();
    int at = to;
    while (at != from) {
      Edge edge = java.util.Objects.requireNonNull(arrived.get(at));
      way.addFirst(edge);
      at = edge.from();
    }
    return List.copyOf(way);
  }
}
