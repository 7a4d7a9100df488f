package org.pgconcord.router.session;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.wire.BackendFrames;
import org.pgconcord.router.wire.BackendType;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * Writes one call's result to the client. The answers to Parse and Bind are held back until the
 * shards have accepted the statement; a description is written only when the client asked for one,
 * and NoData when it asked and none came.
 */
final class CallSink implements ResultSink {
  /** How a call ended. */
  enum Outcome {
    NONE,
    COMPLETED,
    SUSPENDED,
    FAILED
  }

  /** Whether the client hears of the result's columns. */
  enum Description {
    /** Execute without Describe. */
    NONE,
    /** Describe: the columns, or NoData. */
    ASKED,
    /** Simple Query: the columns, if there are any. */
    IF_ROWS
  }

  private final ClientOutput out;
  private final Runnable accept;
  private final Description description;
  private final Consumer<CopyReceiver> copying;
  private final Consumer<CallSink> ended;
  private boolean accepted;
  private boolean described;
  private boolean rowsSeen;
  private boolean over;
  private Outcome outcome = Outcome.NONE;
  private int before;
  private boolean columnsChanged;
  private @Nullable RowDescription columns;

  /**
   * @param accept writes what was held back; run once, before anything else is written
   * @param copying told when the client's data goes to a receiver
   * @param ended told after {@link #done}
   */
  CallSink(
      ClientOutput out,
      Runnable accept,
      Description description,
      Consumer<CopyReceiver> copying,
      Consumer<CallSink> ended) {
    this.out = out;
    this.accept = accept;
    this.description = description;
    this.copying = copying;
    this.ended = ended;
  }

  /** The statement stands behind so many characters of the client's text. */
  void behind(int characters) {
    before = characters;
  }

  Outcome outcome() {
    return outcome;
  }

  /** What the client was told of the columns when it asked. */
  Optional<RowDescription> columns() {
    return Optional.ofNullable(columns);
  }

  /** It failed because its columns are no longer those that the client knows. */
  boolean columnsChanged() {
    return columnsChanged;
  }

  /** The statement is of the kind that returns rows, as far as was seen. */
  boolean returnedRows() {
    return rowsSeen;
  }

  @Override
  public void bound() {
    if (!accepted && !over) {
      accepted = true;
      accept.run();
    }
  }

  @Override
  public void rowDescription(Frame frame) {
    bound();
    rowsSeen = true;
    if (description != Description.NONE && !described) {
      described = true;
      if (description == Description.ASKED) {
        columns = RowDescription.read(frame);
      }
      out.pass(frame);
    }
  }

  @Override
  public void noData() {
    bound();
    if (description == Description.ASKED && !described) {
      described = true;
      out.write(b -> BackendFrames.empty(b, BackendType.NO_DATA));
    }
  }

  @Override
  public void rows(Frame rows) {
    bound();
    rowsSeen = true;
    out.pass(rows);
  }

  @Override
  public void row(List<@Nullable String> values) {
    bound();
    rowsSeen = true;
    out.write(b -> BackendFrames.dataRow(b, values));
  }

  @Override
  public void copyIn(Frame response, CopyReceiver receiver) {
    withoutRows();
    out.pass(response);
    copying.accept(receiver);
  }

  @Override
  public void copyIn(boolean binary, int columns, CopyReceiver receiver) {
    withoutRows();
    out.write(b -> BackendFrames.copyInResponse(b, binary, columns));
    copying.accept(receiver);
  }

  @Override
  public void copyOut(Frame response) {
    withoutRows();
    out.pass(response);
  }

  @Override
  public void copyData(Frame frame) {
    out.pass(frame);
  }

  @Override
  public void copyData(byte[] bytes) {
    out.write(b -> BackendFrames.copyData(b, bytes));
  }

  @Override
  public void copyDone() {
    out.write(b -> BackendFrames.empty(b, BackendType.COPY_DONE));
  }

  @Override
  public void complete(Frame frame) {
    end(Outcome.COMPLETED);
    out.pass(frame);
  }

  @Override
  public void complete(String tag) {
    end(Outcome.COMPLETED);
    out.write(b -> BackendFrames.commandComplete(b, tag));
  }

  @Override
  public void emptyQuery() {
    end(Outcome.COMPLETED);
    out.write(b -> BackendFrames.empty(b, BackendType.EMPTY_QUERY_RESPONSE));
  }

  @Override
  public void suspended() {
    end(Outcome.SUSPENDED);
    out.write(b -> BackendFrames.empty(b, BackendType.PORTAL_SUSPENDED));
  }

  private void end(Outcome how) {
    withoutRows();
    outcome = how;
  }

  /** If the columns have not been told by now there are none. */
  private void withoutRows() {
    bound();
    if (description == Description.ASKED && !described) {
      noData();
    }
  }

  @Override
  public void notice(Frame frame) {
    out.pass(frame);
  }

  @Override
  public void notice(ErrorFields fields) {
    out.write(b -> BackendFrames.notice(b, fields));
  }

  @Override
  public void error(Frame frame) {
    ErrorFields fields = ErrorFields.read(frame);
    columnsChanged = SessionErrors.saysColumnsChanged(fields);
    if (fields.fatal() || before > 0) {
      error(fields);
    } else {
      outcome = Outcome.FAILED;
      out.pass(frame);
    }
  }

  /** A shard's connection ended, the client's does not: FATAL becomes ERROR. */
  @Override
  public void error(ErrorFields fields) {
    outcome = Outcome.FAILED;
    columnsChanged = SessionErrors.saysColumnsChanged(fields);
    ErrorFields shown = fields.fatal() ? fields.with('S', "ERROR").with('V', "ERROR") : fields;
    out.write(b -> BackendFrames.error(b, placed(shown)));
  }

  /** PostgreSQL counts from the beginning of all that was sent with the statement. */
  private ErrorFields placed(ErrorFields fields) {
    String position = fields.field('P');
    return position == null || before == 0
        ? fields
        : fields.with('P', Integer.toString(before + Integer.parseInt(position)));
  }

  @Override
  public void done() {
    if (!over) {
      over = true;
      ended.accept(this);
    }
  }
}
