package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.tx.Transaction;

/**
 * INSERT ... ON CONFLICT DO NOTHING by a global index (docs/decisions/0013): a row may be in the
 * way on the shard, where the statement's own ON CONFLICT finds it, or belong to another shard key,
 * where its entry does.
 *
 * <p>All rows are tried at once behind a savepoint. If the entry of one is another row's, the
 * statement is undone and done again row by row, each behind a savepoint of its own: a row whose
 * entry is taken is undone alone. So nothing that the rows left out have done stays, what triggers
 * did neither. That an entry is taken is told under the locks of decision 0004, as for any INSERT:
 * the row that has it is there, or is waited for. What a row refers to is asked when it is certain
 * that it stays.
 */
final class InsertUnlessTaken {
  private final Execution execution;
  private final Plan.InsertUnlessTaken plan;
  private final EntryWork work;
  private final InsertedParts inserted;

  private InsertUnlessTaken(Execution execution, Plan.InsertUnlessTaken plan) {
    this.execution = execution;
    this.plan = plan;
    this.work = plan.entries();
    this.inserted =
        new InsertedParts(execution, work, plan.returns(), plan.whole(execution.planned().text()));
  }

  static void run(Execution execution, Plan.InsertUnlessTaken plan) {
    if (execution.tx().scope() == Transaction.Scope.NONE
        && execution.session().settings().fixedSnapshot()) {
      throw Plan.InsertUnlessTaken.needsReadCommitted();
    }
    new InsertUnlessTaken(execution, plan).start();
  }

  private void start() {
    inserted.begin();
    List<RowSplit.Part> parts = plan.parts(execution.planned().text(), execution.parameters());
    CompletableFuture<Void> done =
        attempt(parts)
            .thenCompose(
                all ->
                    all || parts.stream().mapToInt(p -> p.rows().size()).sum() == 1
                        ? InsertedParts.done()
                        : rowByRow(0));
    execution.then(done.thenCompose(all -> inserted.commitIfSingle()), all -> inserted.complete());
  }

  private CompletableFuture<Void> rowByRow(int row) {
    if (row == plan.rows().rows().size()) {
      return InsertedParts.done();
    }
    List<RowSplit.Part> alone = plan.part(row, execution.planned().text(), execution.parameters());
    return attempt(alone).thenCompose(done -> rowByRow(row + 1));
  }

  /** False when an entry was another row's; nothing of the attempt is left then. */
  private CompletableFuture<Boolean> attempt(List<RowSplit.Part> parts) {
    return inserted
        .open(parts)
        .thenCompose(opened -> inserted.answers(parts, failure -> false))
        .thenCompose(answers -> decide(parts, answers.orElseThrow()));
  }

  private CompletableFuture<Boolean> decide(List<RowSplit.Part> parts, List<PartAnswer> answers) {
    inserted.describedBy(answers);
    return secured(parts, answers)
        .thenCompose(
            free -> {
              if (!free) {
                return inserted.undo().thenApply(undone -> false);
              }
              return inserted
                  .check(answers)
                  .thenCompose(
                      held -> {
                        inserted.keep(parts, answers);
                        return inserted.close().thenApply(closed -> true);
                      });
            });
  }

  private CompletableFuture<Boolean> secured(List<RowSplit.Part> parts, List<PartAnswer> answers) {
    List<ReturnedRows.Found> found = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      ReturnedRows returned =
          new ReturnedRows(parts.get(i).shard(), inserted.indexes(), work.columns());
      answers.get(i).added().forEach(returned::add);
      found.addAll(returned.found());
    }
    return execution.tx().entries().addUnlessTaken(inserted.mains(), found, plan.taken().indexes());
  }
}
