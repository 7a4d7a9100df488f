package org.pgconcord.daemon.build;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.build.RoutingPublisher.UnstoredMark;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets and clears the marks of copies, so that this process's router acts on a mark at once and the
 * catalog has it as soon as it answers.
 *
 * <p>A mark that a failed write asks for must outlive this process before the client hears of the
 * failure. While the catalog does not answer, the router acts on the mark all the same and storing
 * is tried again each second; after {@link #PATIENCE} the client is answered, and until the mark is
 * stored this daemon's end does not count as clean, so that the next one marks every copy.
 */
public final class MarkedCopies implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(MarkedCopies.class);

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Catalog catalog;
  private final RoutingPublisher publisher;
  private final ScheduledExecutorService writer =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "copy-marks");
            thread.setDaemon(true);
            return thread;
          });

  public MarkedCopies(Catalog catalog, RoutingPublisher publisher) {
    this.catalog = catalog;
    this.publisher = publisher;
  }

  /** The copies whose mark the router acts on. */
  public Set<ShardId> of(CopiedTable table) {
    return publisher.current().copies().of(table);
  }

  /**
   * Marks copies; any thread, does not block.
   *
   * @return completes when the mark is stored or could not be for long; never fails
   */
  public CompletableFuture<Void> mark(CopiedTable table, Set<ShardId> shards, String reason) {
    UnstoredMark mark = new UnstoredMark(table, shards, reason);
    CompletableFuture<Void> stored = new CompletableFuture<>();
    log.warn("copies marked unequal table={} shards={} reason=\"{}\"", table, shards, reason);
    publisher.addUnstored(mark);
    writer.execute(() -> store(mark, stored));
    return stored.completeOnTimeout(null, PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void store(UnstoredMark mark, CompletableFuture<Void> stored) {
    try {
      set(mark.table(), mark.shards(), mark.reason());
      publisher.removeUnstored(mark);
      stored.complete(null);
    } catch (ConcordException e) {
      log.warn("mark of a copy not stored yet table={} cause=\"{}\"", mark.table(), e.message());
      if (!writer.isShutdown()) {
        var unused =
            writer.schedule(() -> store(mark, stored), RETRY.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Marks copies, or with an empty reason clears their marks; blocks until the router knows. */
  void set(CopiedTable table, Collection<ShardId> shards, String reason) {
    catalog.markCopies(table, shards, reason);
    publisher.publishMarks();
  }

  /** The catalog has every mark that was asked for. */
  public boolean settled() {
    return publisher.everyMarkStored();
  }

  @Override
  public void close() {
    writer.shutdownNow();
  }
}
