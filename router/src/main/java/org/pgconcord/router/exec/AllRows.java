package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.router.wire.DataRows;
import org.pgconcord.router.wire.ErrorFields;
import org.pgconcord.router.wire.Frame;

/** Takes all rows of a stream, some at a time, within what a session may hold for its cursors. */
final class AllRows implements RowStream.Receiver {
  private static final long AT_ONCE = 500;

  private final Execution execution;
  private final RowStream stream;
  private final Consumer<List<Frame>> then;
  private final List<Frame> rows = new ArrayList<>();
  private long held;

  private AllRows(Execution execution, RowStream stream, long held, Consumer<List<Frame>> then) {
    this.execution = execution;
    this.stream = stream;
    this.held = held;
    this.then = then;
  }

  /**
   * Fails the statement where there are too many.
   *
   * @param held bytes of rows that are held already
   * @param then gets them, one in each frame
   */
  static void take(Execution execution, RowStream stream, long held, Consumer<List<Frame>> then) {
    stream.fetch(AT_ONCE, new AllRows(execution, stream, held, then));
  }

  @Override
  public void rows(Frame frame) {
    held += frame.length();
    rows.addAll(DataRows.each(frame));
  }

  @Override
  public void notice(Frame frame) {
    execution.sink().notice(frame);
  }

  @Override
  public void complete(long count) {
    if (hasRoom()) {
      then.accept(rows);
    }
  }

  @Override
  public void suspended(long count) {
    if (hasRoom()) {
      stream.fetch(AT_ONCE, this);
    }
  }

  private boolean hasRoom() {
    boolean room = held <= Gather.HELD_MOST;
    if (!room) {
      execution.fail(
          ErrorCode.QUERY_TOO_LARGE.because(
              "the cursors of this session would hold more than %d MiB of rows"
                  .formatted(Gather.HELD_MOST >> 20)));
    }
    return room;
  }

  @Override
  public void failed(ErrorFields fields) {
    execution.fail(fields);
  }
}
