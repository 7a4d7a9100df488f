package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.OldRow;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ParameterTypes;

/**
 * UPDATE of the indexed column of one row. The row is read and locked by the UPDATE's own
 * condition, then updated with the index's columns added to what it returns; both travel at once.
 * The entry of the old value is removed and that of the new one added, unless they are the same:
 * the removal in POST, the addition in PRE, as for a DELETE and an INSERT.
 *
 * <p>The lock keeps the row as it was read until the UPDATE: nobody else can have changed it in
 * between. A row that the query did not see and the UPDATE did was committed between their
 * snapshots; its old value is not known, and the statement fails so that it can be tried again.
 */
final class KeyUpdate {
  private final Execution execution;
  private final EntryWork work;
  private final OldRow old;
  private final ShardId shard;
  private final List<LookupIndex> indexes;

  private KeyUpdate(Execution execution, EntryWork work, OldRow old, ShardId shard) {
    this.execution = execution;
    this.work = work;
    this.old = old;
    this.shard = shard;
    RouterServices services = execution.session().services();
    this.indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
  }

  static void run(Execution execution, EntryWork work, OldRow old, ShardId shard) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.write(shard);
    KeyUpdate update = new KeyUpdate(execution, work, old, shard);
    execution.then(
        tx.backend(shard)
            .thenCompose(main -> update.types(main).thenCompose(types -> update.on(main, types))),
        update::complete);
  }

  /** The query does not use all parameters, so that their types must be known before. */
  private CompletableFuture<ParameterTypes> types(BackendConnection main) {
    ParameterTypes declared = execution.declaredTypes();
    int count = execution.wireParameters().count();
    return declared.complete(count)
        ? CompletableFuture.completedFuture(declared)
        : DescribedStatement.ask(main, sql(), declared).thenApply(DescribedStatement::types);
  }

  private String sql() {
    return work.sql(execution.planned().text());
  }

  private CompletableFuture<String> on(BackendConnection main, ParameterTypes types) {
    CompletableFuture<QueryResult> before =
        main.query(request(old.sql(execution.planned().text()), types));
    CompletableFuture<QueryResult> after = main.query(request(sql(), types));
    return before
        .thenCombine(after, this::changes)
        .thenCompose(changes -> changes.apply(execution.tx().entries(), Map.of(shard, main)))
        .thenCompose(done -> commitIfSingle())
        .thenCompose(done -> after)
        .thenApply(QueryResult::tag);
  }

  private BackendRequest request(String text, ParameterTypes types) {
    return execution.simple()
        ? new BackendRequest.Query(text)
        : new BackendRequest.Extended(
            text,
            execution.named(),
            types,
            execution.wireParameters().withResultFormats(),
            "",
            false,
            0);
  }

  /** Entries to remove and to add. */
  private record Changes(List<ReturnedRows.Found> removed, List<ReturnedRows.Found> added) {
    CompletableFuture<Void> apply(EntryTransaction entries, Map<ShardId, BackendConnection> mains) {
      return entries.remove(mains, removed).thenCompose(done -> entries.add(mains, added));
    }
  }

  private Changes changes(QueryResult before, QueryResult after) {
    if (after.rows().isEmpty()) {
      return new Changes(List.of(), List.of());
    }
    if (before.rows().size() != after.rows().size()) {
      throw ErrorCode.WRITE_ROW_APPEARED.because(
          "the row was committed by another transaction while this one looked for it");
    }
    List<ReturnedRows.Found> removed = new ArrayList<>(found(before, true));
    List<ReturnedRows.Found> added = new ArrayList<>(found(after, false));
    List<ReturnedRows.Found> same = new ArrayList<>(removed);
    same.retainAll(added);
    removed.removeAll(same);
    added.removeAll(same);
    return new Changes(removed, added);
  }

  private List<ReturnedRows.Found> found(QueryResult result, boolean old) {
    ReturnedRows rows = new ReturnedRows(shard, indexes, work.columns());
    for (List<@Nullable String> row : result.rows()) {
      if (old) {
        rows.addOld(row);
      } else {
        rows.add(row);
      }
    }
    return rows.found();
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  private void complete(String tag) {
    if (execution.describes() && !execution.simple()) {
      execution.sink().noData();
    }
    execution.sink().complete(tag);
    execution.done();
  }
}
