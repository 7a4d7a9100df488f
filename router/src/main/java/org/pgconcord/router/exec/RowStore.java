package org.pgconcord.router.exec;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.copy.CopyRow;

/** Where the rows of a {@link CopyByInsert} go, and what follows from those that were stored. */
interface RowStore {

  /**
   * Before the COPY begins a transaction of its own.
   *
   * @throws org.pgconcord.config.error.ConcordException when that would be of the wrong kind
   */
  void requireOwnTransaction();

  /** Some shard that could get rows. */
  ShardId anyShard();

  /**
   * The shard that stores a row first.
   *
   * @throws org.pgconcord.config.error.ConcordException when that is not certain
   */
  ShardId shardOf(CopyRow row);

  /** The shard's backend; called once for each shard. */
  CompletableFuture<BackendConnection> open(ShardId shard);

  /** Follows the rows of one round, all of which are stored. */
  CompletableFuture<Void> follow(Map<ShardId, BackendConnection> mains, List<CopyBatch> batches);
}
