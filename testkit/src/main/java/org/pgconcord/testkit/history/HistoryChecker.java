package org.pgconcord.testkit.history;

import static org.pgconcord.testkit.history.Dependencies.Why.READ_WRITE;
import static org.pgconcord.testkit.history.Dependencies.Why.WRITE_READ;
import static org.pgconcord.testkit.history.Dependencies.Why.WRITE_WRITE;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.pgconcord.testkit.history.Anomaly.Kind;
import org.pgconcord.testkit.history.Dependencies.Edge;
import org.pgconcord.testkit.history.Dependencies.Why;
import org.pgconcord.testkit.history.Transaction.Outcome;

/**
 * Finds what no run under some isolation level can have shown.
 *
 * <p>A list that was read tells all its versions so far: {@code [1, 4, 2]} was {@code [1, 4]}
 * before. The longest read of a list is its version order; every other read must be a beginning of
 * it. From it follow three kinds of edges: who appended a value comes before who appended the next
 * one (ww); who appended a read's last value comes before the reader (wr); a reader comes before
 * who appended the value after those that it read (rw). A circle of ww edges is G0; with wr edges
 * G1c; with one rw edge G-single; with more G2. Every circle of a kind has a shortest one through
 * one of its edges, so a search back from each edge's end misses none.
 *
 * <p>The history should end with a read of every list by a transaction that began when all others
 * had ended; values that were never read are in no order and take part in no circle.
 */
public final class HistoryChecker {
  private final List<Transaction> history;
  private final Map<String, List<Integer>> orders = new TreeMap<>();

  /** Who appended a value: {@code key:value} to the transaction. */
  private final Map<String, Transaction> writers = new HashMap<>();

  private final Set<Integer> seenValues = new HashSet<>();
  private final List<Anomaly> found = new ArrayList<>();

  private HistoryChecker(List<Transaction> history) {
    this.history = history;
  }

  /**
   * All anomalies of a history, whatever level forbids them.
   *
   * @param end the lists as they are at the end
   */
  public static List<Anomaly> check(List<Transaction> history, Map<String, List<Integer>> end) {
    HistoryChecker checker = new HistoryChecker(history);
    checker.noteWriters();
    checker.findOrders(end);
    checker.committed().forEach(checker::internal);
    checker.findDirtyReads();
    checker.findLost(end);
    if (checker.found.stream().noneMatch(a -> a.kind() == Kind.INCOMPATIBLE_ORDER)) {
      checker.findCircles();
    }
    return checker.found;
  }

  private void note(Kind kind, String seen) {
    found.add(new Anomaly(kind, seen));
  }

  // --- lists -----------------------------------------------------------------------------------

  private void noteWriters() {
    for (Transaction transaction : history) {
      for (Op.Append append : appends(transaction)) {
        writers.put(name(append.key(), append.value()), transaction);
      }
    }
  }

  private static String name(String key, int value) {
    return key + ":" + value;
  }

  private void findOrders(Map<String, List<Integer>> end) {
    end.forEach(this::order);
    for (Transaction transaction : history) {
      if (transaction.outcome() != Outcome.ABORTED) {
        reads(transaction).forEach(read -> order(read.key(), foreign(transaction, read)));
      }
    }
  }

  /** Without what the transaction itself has appended, which may never be committed. */
  private static List<Integer> foreign(Transaction transaction, Op.Read read) {
    if (transaction.outcome() == Outcome.COMMITTED) {
      return read.values();
    }
    List<Integer> own =
        appends(transaction).stream()
            .filter(append -> append.key().equals(read.key()))
            .map(Op.Append::value)
            .toList();
    return read.values().stream().filter(value -> !own.contains(value)).toList();
  }

  private void order(String key, List<Integer> values) {
    if (new HashSet<>(values).size() < values.size()) {
      note(Kind.IMPOSSIBLE_VALUE, "%s has a value twice: %s".formatted(key, values));
      return;
    }
    for (int value : values) {
      seenValues.add(value);
      if (!writers.containsKey(name(key, value))) {
        note(Kind.IMPOSSIBLE_VALUE, "nobody appended %d to %s".formatted(value, key));
      }
    }
    List<Integer> known = orders.getOrDefault(key, List.of());
    List<Integer> longer = values.size() > known.size() ? values : known;
    List<Integer> shorter = values.size() > known.size() ? known : values;
    if (!longer.subList(0, shorter.size()).equals(shorter)) {
      note(Kind.INCOMPATIBLE_ORDER, "%s was %s and %s".formatted(key, known, values));
    } else {
      orders.put(key, longer);
    }
  }

  /** Within a transaction a list grows by its own appends at the end. */
  private void internal(Transaction transaction) {
    Map<String, List<Integer>> own = new HashMap<>();
    for (Op op : transaction.ops()) {
      op.match(
          new Op.Cases<Boolean>() {
            @Override
            public Boolean append(Op.Append append) {
              return own.computeIfAbsent(append.key(), k -> new ArrayList<>()).add(append.value());
            }

            @Override
            public Boolean read(Op.Read read) {
              List<Integer> mine = own.getOrDefault(read.key(), List.of());
              int from = read.values().size() - mine.size();
              boolean ends =
                  from >= 0 && read.values().subList(from, read.values().size()).equals(mine);
              if (!ends) {
                note(
                    Kind.INTERNAL,
                    "T%d appended %s and read %s".formatted(transaction.id(), mine, read));
              }
              return ends;
            }
          });
    }
  }

  private void findDirtyReads() {
    for (Transaction reader : committed()) {
      for (Op.Read read : reads(reader)) {
        for (int value : read.values()) {
          Transaction writer = writers.get(name(read.key(), value));
          if (writer != null && writer.outcome() == Outcome.ABORTED) {
            note(
                Kind.G1A,
                "T%d read %d of the aborted T%d".formatted(reader.id(), value, writer.id()));
          }
        }
        intermediate(reader, read);
      }
    }
  }

  private void intermediate(Transaction reader, Op.Read read) {
    if (read.values().isEmpty()) {
      return;
    }
    int last = read.values().get(read.values().size() - 1);
    Transaction writer = writers.get(name(read.key(), last));
    if (writer == null || writer.id() == reader.id()) {
      return;
    }
    List<Integer> written =
        appends(writer).stream()
            .filter(append -> append.key().equals(read.key()))
            .map(Op.Append::value)
            .toList();
    if (written.get(written.size() - 1) != last) {
      note(
          Kind.G1B,
          "T%d read %s between the appends %s of T%d"
              .formatted(reader.id(), read, written, writer.id()));
    }
  }

  private void findLost(Map<String, List<Integer>> end) {
    for (Transaction transaction : history) {
      for (Op.Append append : appends(transaction)) {
        boolean there = end.getOrDefault(append.key(), List.of()).contains(append.value());
        if (transaction.outcome() == Outcome.COMMITTED && !there) {
          note(Kind.LOST_APPEND, "%s of T%d".formatted(append, transaction.id()));
        }
        if (transaction.outcome() == Outcome.ABORTED && there) {
          note(Kind.G1A, "%s of the aborted T%d is there".formatted(append, transaction.id()));
        }
      }
    }
  }

  // --- circles ---------------------------------------------------------------------------------

  private void findCircles() {
    Dependencies graph = graph();
    circles(graph, WRITE_WRITE, EnumSet.of(WRITE_WRITE), Kind.G0);
    circles(graph, WRITE_READ, EnumSet.of(WRITE_WRITE, WRITE_READ), Kind.G1C);
    for (Edge edge : graph.all(READ_WRITE)) {
      List<Edge> onOne =
          graph.way(edge.to(), edge.from(), EnumSet.of(WRITE_WRITE, WRITE_READ), edge.key());
      List<Edge> single = graph.way(edge.to(), edge.from(), EnumSet.of(WRITE_WRITE, WRITE_READ));
      List<Edge> any = graph.way(edge.to(), edge.from(), EnumSet.allOf(Why.class));
      if (onOne.size() == 1 && onOne.get(0).why() == WRITE_WRITE) {
        note(Kind.LOST_UPDATE, "%s, %s".formatted(edge, onOne));
      } else if (!single.isEmpty()) {
        note(Kind.G_SINGLE, "%s, %s".formatted(edge, single));
      } else if (!any.isEmpty()) {
        note(Kind.G2, "%s, %s".formatted(edge, any));
      }
    }
  }

  private void circles(Dependencies graph, Why first, Set<Why> kinds, Kind kind) {
    for (Edge edge : graph.all(first)) {
      List<Edge> way = graph.way(edge.to(), edge.from(), kinds);
      if (!way.isEmpty()) {
        note(kind, "%s, %s".formatted(edge, way));
      }
    }
  }

  private Dependencies graph() {
    Dependencies graph = new Dependencies();
    orders.forEach(
        (key, values) -> {
          for (int i = 1; i < values.size(); i++) {
            Transaction before = writers.get(name(key, values.get(i - 1)));
            Transaction after = writers.get(name(key, values.get(i)));
            if (before != null && after != null) {
              graph.add(before.id(), after.id(), WRITE_WRITE, key);
            }
          }
        });
    committed().forEach(transaction -> addReads(graph, transaction));
    return graph;
  }

  private void addReads(Dependencies graph, Transaction reader) {
    for (Op.Read read : reads(reader)) {
      List<Integer> order = orders.getOrDefault(read.key(), List.of());
      int seen = read.values().size();
      // What it appended itself it did not read of others.
      while (seen > 0 && own(reader, read.key(), read.values().get(seen - 1))) {
        seen--;
      }
      if (seen > 0) {
        Transaction writer = writers.get(name(read.key(), read.values().get(seen - 1)));
        if (writer != null) {
          graph.add(writer.id(), reader.id(), WRITE_READ, read.key());
        }
      }
      int next = seen;
      while (next < order.size() && own(reader, read.key(), order.get(next))) {
        next++;
      }
      // Past its own appends the edge is a ww edge already.
      if (next == seen && next < order.size()) {
        Transaction writer = writers.get(name(read.key(), order.get(next)));
        if (writer != null) {
          graph.add(reader.id(), writer.id(), READ_WRITE, read.key());
        }
      }
    }
  }

  private boolean own(Transaction transaction, String key, int value) {
    Transaction writer = writers.get(name(key, value));
    return writer != null && writer.id() == transaction.id();
  }

  /** Those that have committed for sure: they said so, or somebody has seen a value of theirs. */
  private List<Transaction> committed() {
    return history.stream()
        .filter(
            each ->
                each.outcome() == Outcome.COMMITTED
                    || (each.outcome() == Outcome.UNKNOWN
                        && appends(each).stream()
                            .anyMatch(append -> seenValues.contains(append.value()))))
        .toList();
  }

  private static List<Op.Append> appends(Transaction transaction) {
    return transaction.ops().stream()
        .filter(Op.Append.class::isInstance)
        .map(Op.Append.class::cast)
        .toList();
  }

  private static List<Op.Read> reads(Transaction transaction) {
    return transaction.ops().stream()
        .filter(Op.Read.class::isInstance)
        .map(Op.Read.class::cast)
        .toList();
  }
}
