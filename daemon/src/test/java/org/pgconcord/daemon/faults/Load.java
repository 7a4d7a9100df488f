package org.pgconcord.daemon.faults;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.testkit.cluster.ShardCluster;
import org.pgconcord.testkit.invariant.Violation;

/** Random writers side by side on one model. */
final class Load implements AutoCloseable {
  private final WriteModel model = new WriteModel();
  private final List<RandomWriter> writers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final AtomicLong steps = new AtomicLong();
  private final long firstRow;
  private volatile boolean stopping;

  /**
   * @param connectors one for each client, which reads over its neighbour's
   * @param first number of the first client; no other load of the system has these clients
   * @param most transactions of each client; it ends by itself
   * @param faults whether servers die meanwhile
   */
  Load(List<RandomWriter.Connector> connectors, int first, long seed, long most, boolean faults) {
    this.firstRow = (first + 1L) * RandomWriter.ROWS_PER_CLIENT;
    for (int client = 0; client < connectors.size(); client++) {
      RandomWriter writer =
          new RandomWriter(
              connectors.get(client),
              connectors.get((client + 1) % connectors.size()),
              model,
              first + client,
              seed,
              faults);
      writers.add(writer);
      Thread thread = new Thread(() -> run(writer, most), "writer-" + client);
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  private void run(RandomWriter writer, long most) {
    try {
      for (long step = 0; step < most && !stopping; step++) {
        writer.step();
        steps.incrementAndGet();
      }
    } catch (RuntimeException | AssertionError e) {
      failure.compareAndSet(null, e);
    } finally {
      writer.close();
    }
  }

  /** Transactions so far. */
  long steps() {
    return steps.get();
  }

  boolean failed() {
    return failure.get() != null;
  }

  /** Waits until every client has ended by itself; throws what one of them met. */
  void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    Throwable met = failure.get();
    if (met != null) {
      throw new AssertionError("a client failed", met);
    }
  }

  void stop() throws InterruptedException {
    stopping = true;
    join();
  }

  @Override
  public void close() {
    stopping = true;
  }

  /** What clients were told, held against the rows that are there. */
  List<Violation> violations(ShardCluster cluster) throws SQLException {
    Map<Long, String> found = new HashMap<>();
    for (ShardId shard : cluster.shards()) {
      try (var connection = cluster.asSuperuser(shard);
          var statement = connection.createStatement();
          var row =
              statement.executeQuery(
                  "SELECT user_id, concat_ws('/', tenant_id, email,"
                      + " coalesce(country_code, 'null'), name)"
                      + " FROM users WHERE user_id BETWEEN "
                      + firstRow
                      + " AND "
                      + (firstRow + writers.size() * RandomWriter.ROWS_PER_CLIENT))) {
        while (row.next()) {
          found.merge(row.getLong(1), row.getString(2), (a, b) -> a + " and " + b);
        }
      }
    }
    return model.violations(found);
  }

  long sum(ToLongFunction<RandomWriter.Counts> count) {
    return writers.stream().map(RandomWriter::counts).mapToLong(count).sum();
  }

  String told() {
    Map<String, Long> states = new TreeMap<>();
    writers.forEach(
        writer -> writer.counts().states.forEach((state, n) -> states.merge(state, n, Long::sum)));
    return "writes=%d done=%d rolled_back=%d refused=%d unknown=%d partial=%d reads=%d pending=%d states=%s"
        .formatted(
            sum(c -> c.writes),
            sum(c -> c.done),
            sum(c -> c.rolledBack),
            sum(c -> c.refused),
            sum(c -> c.unknown),
            sum(c -> c.partial),
            sum(c -> c.reads),
            sum(c -> c.pending),
            states);
  }
}
