package org.pgconcord.backfill;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.pgconcord.backfill.BackfillProgress.Phase;
import org.pgconcord.backfill.export.LookupColumns;
import org.pgconcord.backfill.export.ShardExport;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * Phase 1 over all shards: each shard on a thread of its own, their readers limited together. A
 * shard that fails does not stop the others, since their snapshots would be lost with them.
 */
final class Exports {
  private final BackfillServices services;
  private final BackfillProgress.Sink sink;
  private final ShardExport export;

  Exports(
      LookupIndex index,
      BackfillServices services,
      BackfillProgress.Sink sink,
      Sessions sessions,
      BuildJournal journal,
      BuildDirectory directory,
      LookupColumns columns) {
    this.services = services;
    this.sink = sink;
    this.export =
        new ShardExport(
            index,
            columns,
            sessions,
            journal,
            directory,
            services.options(),
            services.findings(),
            services.hook());
  }

  void run(Map<ShardId, OwnerSnapshot> snapshots, ExecutorService workers) {
    Executor readers = limited(workers, services.options().exporters());
    List<CompletableFuture<Void>> shards =
        snapshots.values().stream()
            .map(
                snapshot ->
                    CompletableFuture.runAsync(
                        () -> export.export(snapshot, this::meter, readers), workers))
            .toList();
    CompletableFuture.allOf(shards.toArray(CompletableFuture[]::new)).join();
  }

  private ProgressMeter meter(ShardId shard, long rowsEstimated) {
    return new ProgressMeter(shard, Phase.EXPORT, rowsEstimated, sink);
  }

  /** The pool has a thread for each shard beyond the readers, so waiting for a permit is safe. */
  private static Executor limited(Executor workers, int most) {
    Semaphore permits = new Semaphore(most);
    return task ->
        workers.execute(
            () -> {
              permits.acquireUninterruptibly();
              try {
                task.run();
              } finally {
                permits.release();
              }
            });
  }
}
