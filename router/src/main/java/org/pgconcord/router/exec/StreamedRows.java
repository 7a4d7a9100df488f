package org.pgconcord.router.exec;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * A statement whose rows are a {@link RowStream}: all of them, or as many as the client wants now.
 * Portals live in transactions; a statement by itself gets one of its own.
 */
final class StreamedRows implements RowStream.Receiver {
  private final Execution execution;
  private final RowStream stream;
  private final boolean ownTransaction;

  private StreamedRows(Execution execution, RowStream stream, boolean ownTransaction) {
    this.execution = execution;
    this.stream = stream;
    this.ownTransaction = ownTransaction;
  }

  /** The rows of the shards one after the other, or merged where {@code sorted} says by what. */
  static void run(Execution execution, List<ShardId> shards, Optional<Plan.Sorted> sorted) {
    boolean own = execution.tx().scope() == Transaction.Scope.NONE;
    if (own) {
      execution.tx().begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
    execution.then(
        StreamOpening.of(execution, shards, sorted), stream -> give(execution, stream, own));
  }

  /**
   * The first rows of a stream that has just been made.
   *
   * @param own the statement has a transaction of its own, which ends with it
   */
  static void give(Execution execution, RowStream stream, boolean own) {
    Optional<ErrorFields> changed = execution.changed(stream.description());
    if (changed.isPresent()) {
      stream.close();
      execution.fail(changed.get());
      return;
    }
    if (execution.describes()) {
      execution.sink().rowDescription(stream.description());
    }
    if (!own) {
      execution.keepPortal(stream);
    }
    stream.fetch(execution.maxRows(), new StreamedRows(execution, stream, own));
  }

  /** The next rows of one that was suspended. */
  static void goOn(Execution execution, RowStream stream, int maxRows) {
    stream.fetch(maxRows, new StreamedRows(execution, stream, false));
  }

  @Override
  public void rows(Frame rows) {
    execution.sink().rows(rows);
  }

  @Override
  public void notice(Frame frame) {
    execution.sink().notice(frame);
  }

  @Override
  public void complete(long count) {
    execution.closePortal();
    end(() -> execution.sink().complete(stream.tag(count)));
  }

  @Override
  public void suspended(long count) {
    end(execution.sink()::suspended);
  }

  private void end(Runnable tell) {
    if (!ownTransaction) {
      tell.run();
      execution.done();
      return;
    }
    execution.then(
        execution.tx().commit(),
        done -> {
          tell.run();
          execution.done();
        });
  }

  @Override
  public void failed(ErrorFields fields) {
    execution.closePortal();
    execution.fail(fields);
  }
}
