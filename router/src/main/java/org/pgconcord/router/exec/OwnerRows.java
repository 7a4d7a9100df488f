package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.Referrer;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.copy.CopyRow;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.MappingRows;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.CopyInto;
import org.pgconcord.router.plan.EntryWork;

/** Rows of a COPY into a sharded table: each on its shard, with its entries. */
final class OwnerRows implements RowStore {
  private final Execution execution;
  private final CopyInto.Owner into;
  private final List<LookupIndex> indexes;
  private final Map<Referrer, LookupIndex> references = new LinkedHashMap<>();

  OwnerRows(Execution execution, CopyInto.Owner into) {
    this.execution = execution;
    this.into = into;
    RouterServices services = execution.session().services();
    EntryWork work = into.entries();
    this.indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    work.references()
        .forEach(r -> references.put(r, services.indexes().of(services.epochs().current(), r)));
  }

  @Override
  public void requireOwnTransaction() {}

  @Override
  public ShardId anyShard() {
    return into.group().shards().get(0);
  }

  @Override
  public ShardId shardOf(CopyRow row) {
    return into.target().shardOf(row);
  }

  @Override
  public CompletableFuture<BackendConnection> open(ShardId shard) {
    execution.tx().write(shard);
    return execution.tx().backend(shard);
  }

  @Override
  public CompletableFuture<Void> follow(
      Map<ShardId, BackendConnection> mains, List<CopyBatch> batches) {
    List<ReturnedRows.Found> found = new ArrayList<>();
    List<MappingRows.Found> mappings = new ArrayList<>();
    for (CopyBatch batch : batches) {
      ReturnedRows rows = new ReturnedRows(batch.shard(), indexes, into.entries().columns());
      MappingRows pointed = new MappingRows(references, into.entries().columns());
      for (List<@Nullable String> row : batch.returned()) {
        rows.add(row);
        pointed.add(row);
      }
      found.addAll(rows.found());
      mappings.addAll(pointed.found());
    }
    EntryTransaction entries = execution.tx().entries();
    return entries.check(mappings).thenCompose(held -> entries.add(mains, found));
  }
}
