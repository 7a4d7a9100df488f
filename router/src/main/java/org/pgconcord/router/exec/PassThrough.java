package org.pgconcord.router.exec;

import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.backend.BackendListener;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;
import org.pgconcord.router.wire.TransactionStatus;

/** Hands one backend's answer to the client as it comes, bytes unread. */
class PassThrough implements BackendListener {
  private final Execution execution;
  private final boolean mayWrite;
  private boolean failed;
  private boolean suspended;
  private String lastWords = "";

  /**
   * {@code mayWrite}: a connection that ends outside a transaction leaves the outcome unknown, also
   * one that ends with an error: a backend that is terminated may have committed before it says so.
   */
  PassThrough(Execution execution, boolean mayWrite) {
    this.execution = execution;
    this.mayWrite = mayWrite;
  }

  final Execution execution() {
    return execution;
  }

  final ResultSink sink() {
    return execution.sink();
  }

  @Override
  public void bound() {
    sink().bound();
  }

  @Override
  public void rowDescription(Frame frame) {
    Optional<ErrorFields> changed =
        execution.assumed().isEmpty()
            ? Optional.empty()
            : execution.changed(RowDescription.read(frame));
    changed.ifPresentOrElse(this::failed, () -> sink().rowDescription(frame));
  }

  @Override
  public void noData() {
    sink().noData();
  }

  @Override
  public void rows(Frame rows) {
    if (!failed) {
      sink().rows(rows);
    }
  }

  @Override
  public void complete(Frame frame) {
    if (!failed) {
      sink().complete(frame);
    }
  }

  @Override
  public void emptyQuery() {
    sink().emptyQuery();
  }

  @Override
  public void suspended() {
    suspended = !failed;
    if (suspended) {
      sink().suspended();
    }
  }

  @Override
  public void notice(Frame frame) {
    sink().notice(frame);
  }

  @Override
  public void error(Frame frame) {
    if (commitsAlone()) {
      ErrorFields fields = ErrorFields.read(frame);
      if (fields.fatal()) {
        lastWords = " It said: " + fields.message() + ".";
        return;
      }
    }
    failed = true;
    tell(frame);
  }

  private boolean commitsAlone() {
    return mayWrite && execution.tx().scope() == Transaction.Scope.NONE;
  }

  void tell(Frame error) {
    execution.tell(error, sent());
  }

  /** The text that the backend got. */
  String sent() {
    return execution.sql();
  }

  /** An error in other words than the backend's. */
  void failed(ErrorFields fields) {
    failed = true;
    sink().error(fields);
  }

  @Override
  public void fenced(Frame frame) {
    failed = true;
    execution.tx().fenced(frame);
  }

  @Override
  public final void ready(TransactionStatus status) {
    if (!suspended) {
      execution.closePortal();
    }
    if (failed) {
      execution.failedByShard();
    } else {
      answered();
    }
  }

  /** The backend has answered everything without error. */
  void answered() {
    execution.done();
  }

  @Override
  public final void lost(ConcordException cause) {
    execution.closePortal();
    if (failed) {
      execution.failedByShard();
    } else if (commitsAlone()) {
      execution.fail(
          ErrorCode.TX_OUTCOME_UNKNOWN
              .because("the connection to a shard ended before it answered a write")
              .withDetail(cause.message() + lastWords)
              .withCause(cause));
    } else {
      execution.fail(cause);
    }
  }
}
