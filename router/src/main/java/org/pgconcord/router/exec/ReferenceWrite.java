package org.pgconcord.router.exec;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.plan.CopyWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/**
 * A write of a reference table (docs/decisions/0008): the leader's lock, the statement on the
 * leader, the rows that it changed on the other copies, and what they say they changed compared
 * with it.
 *
 * <p>Nothing commits before every copy has shown the same images, so a difference that is met here
 * changes nothing. The client's own rows are passed on as the leader returns them; their completion
 * waits for the other copies, and outside a transaction for the commits.
 */
final class ReferenceWrite {
  /** Values and images of one statement's rows held here. */
  private static final long HELD_MOST = 64 << 20;

  private final Execution execution;
  private final CopyWork work;
  private final AddedColumns added;
  private final OtherCopies copies;

  private ReferenceWrite(Execution execution, Plan.CopyWrite plan) {
    this.execution = execution;
    this.work = plan.work();
    this.added =
        new AddedColumns(
            execution, work.sql(execution.planned().text()), work.clientReturns(), work.added());
    this.copies =
        new OtherCopies(execution, plan.table(), plan.leader(), plan.others(), plan.work());
  }

  static void run(Execution execution, Plan.CopyWrite plan) {
    execution.requireEqualCopies(plan.facts(), List.of(plan.leader()));
    Transaction tx = execution.tx();
    if (tx.scope() == Transaction.Scope.NONE) {
      if (execution.session().settings().fixedSnapshot()) {
        throw Plan.CopyWrite.needsReadCommitted();
      }
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    tx.writeCopies(plan.table(), plan.leader(), plan.others());
    ReferenceWrite write = new ReferenceWrite(execution, plan);
    execution.then(
        tx.backend(plan.leader())
            .thenCompose(
                leader ->
                    OtherCopies.lock(execution, plan.table(), leader).thenApply(locked -> leader))
            .thenCompose(
                leader -> write.added.formats(leader).thenAccept(p -> write.send(leader, p))),
        sent -> {});
  }

  private void send(BackendConnection leader, org.pgconcord.router.wire.Parameters parameters) {
    leader.send(
        execution.described(work.sql(execution.planned().text()), parameters), new Answer());
  }

  private void carryOn(String tag) {
    execution.then(
        copies.change().thenCompose(done -> commitIfSingle()),
        done -> {
          execution.sink().complete(tag);
          execution.done();
        });
  }

  private CompletableFuture<Void> commitIfSingle() {
    return execution.tx().scope() == Transaction.Scope.SINGLE
        ? execution.tx().commit()
        : CompletableFuture.completedFuture(null);
  }

  // --- the leader's answer ---------------------------------------------------------------------

  /** What the leader returns. */
  private final class Answer implements BackendListener {
    private int clientColumns;
    private long held;
    private String tag = "";
    private boolean failed;
    private @Nullable ConcordException failure;

    @Override
    public void rowDescription(Frame frame) {
      RowDescription all = RowDescription.read(frame);
      clientColumns = all.fields().size() - work.added();
      added.describe(all, clientColumns);
    }

    @Override
    public void rows(Frame frame) {
      held += frame.length();
      if (failure == null && held > HELD_MOST) {
        failure =
            ErrorCode.WRITE_REFERENCE_SIZE.because(
                "the changed rows have more than %d MiB".formatted(HELD_MOST >> 20));
      }
      if (failure != null) {
        return;
      }
      for (List<@Nullable String> row : AddedColumns.texts(frame, clientColumns)) {
        copies.collect(row);
      }
      if (work.clientReturns()) {
        execution.sink().rows(DataRows.keepFirst(frame, clientColumns));
      }
    }

    @Override
    public void complete(Frame frame) {
      tag = CommandTag.read(frame);
    }

    @Override
    public void notice(Frame frame) {
      execution.sink().notice(frame);
    }

    @Override
    public void error(Frame frame) {
      failed = true;
      execution.sink().error(frame);
    }

    @Override
    public void ready(TransactionStatus status) {
      if (failed) {
        execution.failedByShard();
      } else if (failure != null) {
        execution.fail(failure);
      } else {
        carryOn(tag);
      }
    }

    @Override
    public void lost(ConcordException cause) {
      if (failed) {
        execution.failedByShard();
      } else {
        execution.fail(cause);
      }
    }
  }
}
