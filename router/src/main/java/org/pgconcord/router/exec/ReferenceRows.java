package org.pgconcord.router.exec;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.copy.CopyRow;
import org.pgconcord.router.plan.CopyInto;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.StatementFacts;

/**
 * Rows of a COPY into a reference table: on the leading copy, under the table's lock, and then on
 * the others, round by round ({@link OtherCopies}).
 */
final class ReferenceRows implements RowStore {
  private final Execution execution;
  private final CopyInto.Copies into;

  ReferenceRows(Execution execution, StatementFacts facts, CopyInto.Copies into) {
    this.execution = execution;
    this.into = into;
    execution.requireEqualCopies(facts, List.of(into.leader()));
  }

  @Override
  public void requireOwnTransaction() {
    if (execution.session().settings().fixedSnapshot()) {
      throw Plan.CopyWrite.needsReadCommitted();
    }
  }

  @Override
  public ShardId anyShard() {
    return into.leader();
  }

  @Override
  public ShardId shardOf(CopyRow row) {
    return into.leader();
  }

  @Override
  public CompletableFuture<BackendConnection> open(ShardId shard) {
    execution.tx().writeCopies(into.table(), into.leader(), into.others());
    return execution
        .tx()
        .backend(shard)
        .thenCompose(
            leader ->
                OtherCopies.lock(execution, into.table(), leader).thenApply(locked -> leader));
  }

  @Override
  public CompletableFuture<Void> follow(
      Map<ShardId, BackendConnection> mains, List<CopyBatch> batches) {
    OtherCopies others =
        new OtherCopies(execution, into.table(), into.leader(), into.others(), into.work());
    batches.forEach(batch -> batch.returned().forEach(others::collect));
    return others.change();
  }
}
