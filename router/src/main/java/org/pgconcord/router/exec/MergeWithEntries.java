package org.pgconcord.router.exec;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.MergeEntries;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * MERGE into the owner of maintained indexes, on one shard (docs/decisions/0022). The statement
 * itself says of each row what it was, what it is and which action was taken, so that the images
 * are of exactly the versions that were changed; the entries follow as for a DELETE, an UPDATE and
 * an INSERT, those that go first.
 */
final class MergeWithEntries {
  private final Execution execution;
  private final MergeEntries work;
  private final ShardId shard;
  private final List<LookupIndex> indexes;
  private final AddedColumns added;

  private MergeWithEntries(Execution execution, MergeEntries work, ShardId shard) {
    this.execution = execution;
    this.work = work;
    this.shard = shard;
    RouterServices services = execution.session().services();
    this.indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
    this.added =
        new AddedColumns(
            execution, work.sql(execution.planned().text()), work.clientReturns(), work.added());
  }

  static void run(Execution execution, MergeEntries work, ShardId shard) {
    new MergeWithEntries(execution, work, shard).start();
  }

  private void start() {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.write(shard);
    execution.then(
        tx.backend(shard)
            .thenCompose(
                main ->
                    requireOld(main)
                        .thenCompose(able -> added.formats(main))
                        .thenCompose(
                            values ->
                                PartAnswer.of(
                                    main, request(values), work.added(), execution, added.sql()))
                        .thenCompose(answer -> follow(main, answer).thenApply(done -> answer)))
            .thenCompose(answer -> commitIfSingle().thenApply(done -> answer)),
        this::complete);
  }

  private CompletableFuture<Void> requireOld(BackendConnection main) {
    String version = Optional.ofNullable(main.parameter("server_version")).orElse("");
    return CopyFrom.version(version) >= MergeEntries.RETURNS_OLD_FROM
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.failedFuture(
            ErrorCode.SQL_MERGE.because(
                "shard %s does not return rows as they were before a MERGE, which PostgreSQL %d does"
                    .formatted(shard, MergeEntries.RETURNS_OLD_FROM)));
  }

  private BackendRequest request(Parameters values) {
    return execution.simple()
        ? new BackendRequest.Query(added.sql())
        : new BackendRequest.Extended(
            added.sql(), execution.named(), execution.declaredTypes(), values, "", true, 0);
  }

  /** The entries of the rows that it has deleted, updated and inserted. */
  private CompletableFuture<Void> follow(BackendConnection main, PartAnswer answer) {
    EntryTransaction.requireBounded(answer.added().size());
    int size = work.columns().size();
    ReturnedRows deleted = rows();
    ReturnedRows before = rows();
    ReturnedRows after = rows();
    ReturnedRows inserted = rows();
    for (List<@Nullable String> row : answer.added()) {
      List<@Nullable String> was = row.subList(0, size);
      List<@Nullable String> is = row.subList(size, 2 * size);
      switch (String.valueOf(row.get(2 * size))) {
        case "DELETE" -> deleted.addOld(was);
        case "UPDATE" -> {
          before.addOld(was);
          after.add(is);
        }
        case "INSERT" -> inserted.add(is);
        default -> throw ErrorCode.INTERNAL.because("a MERGE has done what nobody knows");
      }
    }
    Map<ShardId, BackendConnection> mains = Map.of(shard, main);
    EntryTransaction entries = execution.tx().entries();
    return entries
        .remove(mains, deleted.found())
        .thenCompose(gone -> entries.change(mains, before.found(), after.found(), Set.of()))
        .thenCompose(changed -> entries.add(mains, inserted.found()));
  }

  private ReturnedRows rows() {
    return new ReturnedRows(shard, indexes, work.columns());
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  private void complete(PartAnswer answer) {
    RowDescription description = answer.description();
    if (description != null) {
      added.describe(description, answer.clientColumns());
    }
    answer.notices().forEach(execution.sink()::notice);
    answer.rows().forEach(execution.sink()::rows);
    execution.sink().complete("MERGE " + answer.count());
    execution.done();
  }
}
