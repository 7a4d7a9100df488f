package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.session.ResultSink;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/** Keeps the rows of a query that is a part of a statement; errors and notices go to the client. */
final class FetchedRows extends ForwardingSink {
  private final long most;
  private final List<List<byte @Nullable []>> rows = new ArrayList<>();
  private RowDescription description = new RowDescription(List.of());
  private boolean failed;
  private long held;

  /**
   * @param most bytes of values that are kept
   */
  FetchedRows(ResultSink client, long most) {
    super(client);
    this.most = most;
  }

  RowDescription description() {
    return description;
  }

  List<List<byte @Nullable []>> rows() {
    return rows;
  }

  /** The client has been told why. */
  boolean failed() {
    return failed;
  }

  /**
   * Before the rows are used.
   *
   * @throws org.pgconcord.config.error.ConcordException when not all of them were kept
   */
  void requireBounded() {
    if (held > most) {
      throw ErrorCode.QUERY_TOO_LARGE.because(
          "more than %d MiB of rows would have to be held".formatted(most >> 20));
    }
  }

  @Override
  public void bound() {}

  @Override
  public void rowDescription(Frame frame) {
    description = RowDescription.read(frame);
  }

  @Override
  public void rowDescription(RowDescription columns) {
    description = columns;
  }

  @Override
  public void noData() {}

  @Override
  public void rows(Frame frame) {
    held += frame.length();
    if (held > most) {
      rows.clear();
      return;
    }
    rows.addAll(DataRows.values(frame));
  }

  @Override
  public void complete(Frame frame) {}

  @Override
  public void complete(String tag) {}

  @Override
  public void error(Frame frame) {
    error(ErrorFields.read(frame));
  }

  @Override
  public void error(ErrorFields fields) {
    failed = true;
    super.error(Gather.withoutPosition(fields));
  }

  @Override
  public void done() {}
}
