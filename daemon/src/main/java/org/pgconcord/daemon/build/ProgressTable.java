package org.pgconcord.daemon.build;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.pgconcord.config.catalog.GsiProgress;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the progress lines to the catalog's table on a thread of its own, so that a catalog that
 * is slow or away holds up nobody's work. Only the newest line of each index and shard is kept for
 * it. One write waits at most: it takes along whatever has come until it begins. What could not be
 * written goes with the next.
 */
public final class ProgressTable implements Consumer<List<ShardProgress>>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProgressTable.class);
  private static final int LAST_WRITE_SECONDS = 2;

  private final Consumer<List<GsiProgress>> write;
  private final Map<Place, GsiProgress> unwritten = new LinkedHashMap<>();
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(1),
          task -> {
            Thread made = new Thread(task, "progress");
            made.setDaemon(true);
            return made;
          },
          new ThreadPoolExecutor.DiscardPolicy());

  /** The writer's own: whether the last write failed. */
  private boolean failing;

  private record Place(GsiName gsi, ShardId shard) {}

  /**
   * @param write stores rows and may block and fail
   */
  public ProgressTable(Consumer<List<GsiProgress>> write) {
    this.write = write;
  }

  /** Does not wait. With no lines it tries once more what could not be written. */
  @Override
  public void accept(List<ShardProgress> lines) {
    synchronized (unwritten) {
      lines.forEach(line -> unwritten.put(new Place(line.gsi(), line.shard()), line.row()));
      if (unwritten.isEmpty()) {
        return;
      }
    }
    thread.execute(this::writeAll);
  }

  private void writeAll() {
    List<GsiProgress> rows = take();
    if (rows.isEmpty()) {
      return;
    }
    try {
      write.accept(rows);
      failing = false;
    } catch (RuntimeException e) {
      giveBack(rows);
      if (!failing) {
        log.warn("progress is not written to the catalog cause=\"{}\"", e.getMessage());
        log.debug("progress is not written", e);
      }
      failing = true;
    }
  }

  private List<GsiProgress> take() {
    synchronized (unwritten) {
      List<GsiProgress> rows = new ArrayList<>(unwritten.values());
      unwritten.clear();
      return rows;
    }
  }

  private void giveBack(List<GsiProgress> rows) {
    synchronized (unwritten) {
      rows.forEach(row -> unwritten.putIfAbsent(new Place(row.gsi(), row.shard()), row));
    }
  }

  /** Lines that come later are dropped; the last ones are written if that can be done at once. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LAST_WRITE_SECONDS, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
