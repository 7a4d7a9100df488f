package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.ParameterTypes;
import org.pgconcord.router.wire.Parameters;
import org.pgconcord.router.wire.RowDescription;

/**
 * INSERT ... ON CONFLICT by a global index (docs/decisions/0013): a row may be in the way on the
 * shard, where the statement's own ON CONFLICT finds it, or belong to another shard key, where its
 * entry does.
 *
 * <p>All rows are tried at once behind a savepoint. If the entry of one is another row's, a
 * statement that leaves such rows out is undone and done again row by row, each behind a savepoint
 * of its own: a row whose entry is taken is undone alone. So nothing that the rows left out have
 * done stays, what triggers did neither. That an entry is taken is told under the locks of decision
 * 0004, as for any INSERT: the row that has it is there, or is waited for.
 *
 * <p>A statement that would update the row in the way is refused then: that row is not on its
 * shard.
 */
final class InsertUnlessTaken {
  private static final String SAVEPOINT = "pgconcord row";

  private final Execution execution;
  private final Plan.InsertUnlessTaken plan;
  private final EntryWork work;
  private final AddedColumns added;
  private final List<LookupIndex> indexes;
  private final Map<ShardId, BackendConnection> mains = new LinkedHashMap<>();
  private final List<Frame> kept = new ArrayList<>();
  private @Nullable RowDescription description;
  private @Nullable Parameters parameters;
  private ParameterTypes types;
  private long rows;

  private InsertUnlessTaken(Execution execution, Plan.InsertUnlessTaken plan) {
    this.execution = execution;
    this.plan = plan;
    this.work = plan.entries();
    this.types = execution.declaredTypes();
    this.added = new AddedColumns(execution, whole(), plan.returns(), work.columns().size());
    RouterServices services = execution.session().services();
    this.indexes =
        work.gsis().stream()
            .map(gsi -> services.indexes().of(services.epochs().current(), gsi))
            .toList();
  }

  static void run(Execution execution, Plan.InsertUnlessTaken plan) {
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      if (execution.session().settings().fixedSnapshot()) {
        throw Plan.InsertUnlessTaken.needsReadCommitted();
      }
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    if (plan.returns() && execution.maxRows() > 0) {
      throw ErrorCode.ROW_LIMIT_OVER_SHARDS.because(
          "a row limit is not supported for ON CONFLICT by a global index");
    }
    new InsertUnlessTaken(execution, plan).start();
  }

  private void start() {
    List<RowSplit.Part> parts = plan.parts(execution.planned().text(), execution.parameters());
    CompletableFuture<Void> done =
        attempt(parts)
            .thenCompose(
                inserted -> {
                  if (inserted) {
                    return done();
                  } else if (!plan.taken().skips()) {
                    return CompletableFuture.failedFuture(elsewhere());
                  }
                  return parts.stream().mapToInt(p -> p.rows().size()).sum() == 1
                      ? done()
                      : rowByRow(0);
                });
    execution.then(done.thenCompose(all -> commitIfSingle()), all -> complete());
  }

  private static Throwable elsewhere() {
    return ErrorCode.WRITE_ON_CONFLICT
        .because("the row that is in the way belongs to another shard key")
        .withDetail("ON CONFLICT DO UPDATE updates rows of the shard key that it inserts.");
  }

  private CompletableFuture<Void> rowByRow(int row) {
    if (row == plan.rows().rows().size()) {
      return done();
    }
    List<RowSplit.Part> alone = plan.part(row, execution.planned().text(), execution.parameters());
    return attempt(alone).thenCompose(inserted -> rowByRow(row + 1));
  }

  // --- one attempt -----------------------------------------------------------------------------

  /** False when an entry was another row's; nothing of the attempt is left then. */
  private CompletableFuture<Boolean> attempt(List<RowSplit.Part> parts) {
    Transaction tx = execution.tx();
    tx.savepoint(SAVEPOINT);
    return acquire(parts)
        .thenCompose(acquired -> prepare())
        .thenCompose(values -> answers(parts, values))
        .thenCompose(
            answers ->
                secured(parts, answers)
                    .thenCompose(
                        inserted -> {
                          if (inserted) {
                            keep(parts, answers);
                            return tx.release(SAVEPOINT).thenApply(released -> true);
                          }
                          return tx.rollbackTo(SAVEPOINT)
                              .thenCompose(undone -> tx.release(SAVEPOINT))
                              .thenApply(released -> false);
                        }));
  }

  private CompletableFuture<Void> acquire(List<RowSplit.Part> parts) {
    Transaction tx = execution.tx();
    CompletableFuture<Void> all = done();
    for (RowSplit.Part part : parts) {
      tx.write(part.shard());
      all =
          all.thenCompose(before -> tx.backend(part.shard()))
              .thenAccept(backend -> mains.put(part.shard(), backend));
    }
    return all;
  }

  /** The call's values with formats for the added columns; types that a part may not tell. */
  private CompletableFuture<Parameters> prepare() {
    if (parameters != null) {
      return CompletableFuture.completedFuture(parameters);
    }
    BackendConnection any = mains.values().iterator().next();
    int count = execution.wireParameters().count();
    CompletableFuture<ParameterTypes> known =
        types.complete(count)
            ? CompletableFuture.completedFuture(types)
            : DescribedStatement.ask(any, whole(), types).thenApply(DescribedStatement::types);
    return known
        .thenCompose(
            all -> {
              types = all;
              return added.formats(any);
            })
        .thenApply(
            values -> {
              parameters = values;
              return values;
            });
  }

  private String whole() {
    return plan.whole(execution.planned().text());
  }

  /** Each part's answer, when all shards have answered. */
  private CompletableFuture<List<PartAnswer>> answers(
      List<RowSplit.Part> parts, Parameters values) {
    List<CompletableFuture<PartAnswer>> sent = new ArrayList<>();
    for (RowSplit.Part part : parts) {
      BackendRequest request =
          execution.simple()
              ? new BackendRequest.Query(part.sql())
              : new BackendRequest.Extended(part.sql(), false, types, values, "", true, 0);
      sent.add(PartAnswer.of(main(part), request, work.columns().size()));
    }
    return CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all -> {
              List<PartAnswer> answers = sent.stream().map(CompletableFuture::join).toList();
              description = description == null ? answers.get(0).description() : description;
              return answers;
            });
  }

  private BackendConnection main(RowSplit.Part part) {
    BackendConnection main = mains.get(part.shard());
    if (main == null) {
      throw ErrorCode.INTERNAL.because("a part of a write has no backend");
    }
    return main;
  }

  private CompletableFuture<Boolean> secured(List<RowSplit.Part> parts, List<PartAnswer> answers) {
    List<ReturnedRows.Found> found = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      ReturnedRows returned = new ReturnedRows(parts.get(i).shard(), indexes, work.columns());
      answers.get(i).added().stream().filter(work::changesEntries).forEach(returned::add);
      found.addAll(returned.found());
    }
    return execution.tx().entries().addUnlessTaken(mains, found, plan.taken().indexes());
  }

  // --- what the client gets --------------------------------------------------------------------

  /** Rows in the order of VALUES, unless the shards have left some out. */
  private void keep(List<RowSplit.Part> parts, List<PartAnswer> answers) {
    for (PartAnswer answer : answers) {
      rows += answer.count();
      answer.notices().forEach(execution.sink()::notice);
    }
    if (!plan.returns()) {
      return;
    }
    boolean whole = true;
    Map<Integer, Frame> byRow = new TreeMap<>();
    for (int i = 0; i < parts.size(); i++) {
      List<Integer> places = parts.get(i).rows();
      List<Frame> frames = new ArrayList<>(answers.get(i).rows());
      whole &= places.size() == frames.size();
      for (int k = 0; whole && k < places.size(); k++) {
        byRow.put(places.get(k), frames.get(k));
      }
    }
    if (whole) {
      kept.addAll(byRow.values());
    } else {
      answers.forEach(answer -> kept.addAll(answer.rows()));
    }
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE ? execution.tx().commit() : done();
  }

  private void complete() {
    if (description != null) {
      added.describe(description, description.fields().size() - work.columns().size());
    }
    kept.forEach(execution.sink()::rows);
    execution.sink().complete("INSERT 0 " + rows);
    execution.done();
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
