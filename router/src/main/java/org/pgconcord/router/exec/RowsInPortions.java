package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.CommandTag;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * A row limit of the protocol on a statement that the router runs in several steps: it runs to its
 * end first, as PostgreSQL runs every statement but a plain SELECT, and its rows are held and given
 * in portions.
 *
 * <p>By itself, without a transaction that keeps its portal, no more than the first portion is
 * held. In one, rows beyond {@link Gather#HELD_MOST}, with those of the session's other portals,
 * fail the statement; they are dropped until it has ended.
 */
final class RowsInPortions extends ForwardingSink {
  private final Execution execution;
  private final boolean continues;
  private final List<Frame> rows = new ArrayList<>();
  private @Nullable RowDescription description;
  private String tag = "";
  private boolean complete;
  private boolean failed;
  private long held;

  private RowsInPortions(Execution execution) {
    super(execution.sink());
    this.held = execution.session().portals().held();
    this.execution = execution;
    this.continues = execution.tx().scope() != Transaction.Scope.NONE;
  }

  /** {@code route} runs the statement with all of its rows. */
  static void run(Execution execution, Consumer<Execution> route) {
    RowsInPortions portions = new RowsInPortions(execution);
    route.accept(execution.within(execution.planned(), portions, portions::ended, () -> {}));
  }

  @Override
  public void rowDescription(Frame frame) {
    description = RowDescription.read(frame);
    if (execution.describes()) {
      super.rowDescription(frame);
    }
  }

  @Override
  public void noData() {
    if (execution.describes()) {
      super.noData();
    }
  }

  @Override
  public void rows(Frame frame) {
    if (held > Gather.HELD_MOST || (!continues && rows.size() > execution.maxRows())) {
      return;
    }
    held += frame.length();
    rows.addAll(DataRows.each(frame));
  }

  @Override
  public void row(List<@Nullable String> values) {
    rows(DataRows.text(values));
  }

  @Override
  public void complete(Frame frame) {
    complete(CommandTag.read(frame));
  }

  @Override
  public void complete(String told) {
    tag = told;
    complete = true;
  }

  @Override
  public void error(Frame frame) {
    failed = true;
    super.error(frame);
  }

  @Override
  public void error(ErrorFields fields) {
    failed = true;
    super.error(fields);
  }

  /** Not yet: the rows follow. */
  @Override
  public void done() {}

  private void ended() {
    if (failed || !complete) {
      execution.failedWithin();
    } else if (held > Gather.HELD_MOST) {
      execution.fail(
          ErrorCode.QUERY_TOO_LARGE.because(
              "more than %d MiB of rows would have to be held to give them in portions"
                  .formatted(Gather.HELD_MOST >> 20)));
    } else if (description == null) {
      execution.sink().complete(tag);
      execution.done();
    } else {
      HeldRows stream = new HeldRows(execution.tx(), description, rows, words());
      if (continues) {
        execution.keepPortal(stream);
      }
      StreamedRows.goOn(execution, stream, execution.maxRows());
    }
  }

  private String words() {
    return Character.isDigit(tag.charAt(tag.length() - 1))
        ? tag.substring(0, tag.lastIndexOf(' ') + 1)
        : tag;
  }
}
