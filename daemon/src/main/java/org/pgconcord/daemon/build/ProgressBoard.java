package org.pgconcord.daemon.build;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest progress of every index on each owner shard. Whoever works reports here, from any
 * thread and without waiting; a line is logged at each change of phase and, while work goes on, by
 * each {@link #logRunning}, which {@code Daemon} calls every two seconds.
 */
public final class ProgressBoard {
  private static final Logger log = LoggerFactory.getLogger("progress");

  private final LongSupplier nanoClock;
  private final Consumer<List<ShardProgress>> logged;
  private final Map<GsiName, Map<ShardId, Row>> rows = new TreeMap<>();

  private static final class Row {
    final ProgressMeter meter;
    String phase = "";
    boolean running;
    StreamVitals vitals = StreamVitals.UNKNOWN;

    Row(GsiName gsi, ShardId shard) {
      meter = new ProgressMeter(gsi, shard);
    }

    ShardProgress now() {
      return meter.now(vitals.lagBytes(), vitals.lagSeconds(), vitals.walRetainedBytes());
    }
  }

  /**
   * @param logged is told of the lines as they are logged, and at each {@link #logRunning} of those
   *     there are, be it none; must not wait
   */
  public ProgressBoard(LongSupplier nanoClock, Consumer<List<ShardProgress>> logged) {
    this.nanoClock = nanoClock;
    this.logged = logged;
  }

  /** A phase begins, perhaps the same again; logged at once. */
  public synchronized void begin(GsiName gsi, ShardId shard, String phase) {
    Row row = row(gsi, shard);
    row.phase = phase;
    row.running = true;
    row.meter.begin(phase);
    log(List.of(row));
  }

  /** {@code rows} of the phase are done, of {@code estimated}. A new phase is logged at once. */
  public synchronized void report(
      GsiName gsi, ShardId shard, String phase, long done, long estimated) {
    Row row = row(gsi, shard);
    boolean began = !row.phase.equals(phase);
    row.phase = phase;
    row.running = true;
    row.meter.phase(phase, estimated);
    row.meter.rows(done, nanoClock.getAsLong());
    if (began) {
      log(List.of(row));
    }
  }

  /** The phase that the shard is in has ended. */
  public synchronized void end(GsiName gsi, ShardId shard) {
    Row row = row(gsi, shard);
    if (row.running) {
      row.running = false;
      row.meter.end();
      log(List.of(row));
    }
  }

  public synchronized void vitals(GsiName gsi, ShardId shard, StreamVitals vitals) {
    row(gsi, shard).vitals = vitals;
  }

  public synchronized StreamVitals vitals(GsiName gsi, ShardId shard) {
    return row(gsi, shard).vitals;
  }

  /** Logs a line for every phase that has not ended. */
  public synchronized void logRunning() {
    log(
        rows.values().stream()
            .flatMap(shards -> shards.values().stream())
            .filter(row -> row.running)
            .toList());
  }

  /** In the order of the shards' names. */
  public synchronized List<ShardProgress> of(GsiName gsi) {
    return rows.getOrDefault(gsi, Map.of()).values().stream().map(Row::now).toList();
  }

  public synchronized Map<GsiName, List<ShardProgress>> all() {
    return rows.keySet().stream().collect(Collectors.toMap(gsi -> gsi, this::of));
  }

  private Row row(GsiName gsi, ShardId shard) {
    return rows.computeIfAbsent(gsi, name -> new TreeMap<>())
        .computeIfAbsent(shard, uid -> new Row(gsi, uid));
  }

  private void log(List<Row> some) {
    List<ShardProgress> lines = some.stream().map(Row::now).toList();
    lines.forEach(line -> log.info("{}", line.line()));
    logged.accept(lines);
  }
}
