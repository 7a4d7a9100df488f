package org.pgconcord.router.exec;

import org.jspecify.annotations.Nullable;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRequest;
import org.pgconcord.router.plan.TransactionModes;
import org.pgconcord.router.session.CopyReceiver;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/**
 * A COPY on one shard, either way: its data passes unread. It runs there by the simple protocol
 * whatever the client's is, so that it ends with one ReadyForQuery however it ends.
 */
final class CopyThrough extends PassThrough implements CopyReceiver {
  private final BackendConnection backend;
  private Runnable more = () -> {};
  private String tag = "";
  private @Nullable ErrorFields broken;

  private CopyThrough(Execution execution, boolean mayWrite, BackendConnection backend) {
    super(execution, mayWrite);
    this.backend = backend;
  }

  /** Fences go before it in a transaction of its own, since a COPY cannot travel with them. */
  static void prepare(Execution execution, boolean mayWrite) {
    Transaction tx = execution.tx();
    if (mayWrite && tx.scope() == Transaction.Scope.NONE && !tx.fences().isEmpty()) {
      tx.begin(Transaction.Scope.SINGLE, TransactionModes.NONE);
    }
  }

  static void run(Execution execution, boolean mayWrite, BackendConnection backend) {
    backend.send(
        new BackendRequest.Query(execution.sql()), new CopyThrough(execution, mayWrite, backend));
  }

  // --- from the shard --------------------------------------------------------------------------

  @Override
  public boolean copyIn(Frame response) {
    sink().copyIn(response, this);
    return true;
  }

  @Override
  public void copyWritable() {
    more.run();
  }

  @Override
  public boolean copyOut(Frame response) {
    sink().copyOut(response);
    return true;
  }

  @Override
  public void copyData(Frame frame) {
    sink().copyData(frame);
  }

  @Override
  public void copyDone() {
    sink().copyDone();
  }

  @Override
  public void complete(Frame frame) {
    if (execution().tx().scope() == Transaction.Scope.SINGLE) {
      tag = CommandTag.read(frame);
    } else {
      super.complete(frame);
    }
  }

  @Override
  void answered() {
    if (execution().tx().scope() != Transaction.Scope.SINGLE) {
      super.answered();
      return;
    }
    execution()
        .then(
            execution().tx().commit(),
            done -> {
              sink().complete(tag);
              super.answered();
            });
  }

  @Override
  void tell(Frame error) {
    if (broken == null) {
      super.tell(error);
    } else {
      sink().error(broken);
    }
  }

  // --- from the client -------------------------------------------------------------------------

  @Override
  public void begin(Runnable whenReady) {
    more = whenReady;
  }

  @Override
  public boolean ready() {
    return backend.copyWritable();
  }

  @Override
  public void data(byte[] bytes) {
    backend.copyData(bytes, 0, bytes.length);
  }

  @Override
  public void done() {
    backend.copyDone();
  }

  @Override
  public void fail(String message) {
    backend.copyFail(message);
  }

  @Override
  public void broken(ErrorFields error) {
    broken = error;
    backend.copyFail(error.message());
  }
}
