package org.pgconcord.router.exec;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.pgconcord.router.tx.Transaction;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/** Rows that are here already, within the bound of {@link Gather#HELD_MOST}. */
final class HeldRows extends RowStream {
  private final Deque<Frame> rows;
  private final String tag;

  /**
   * They are given as a query's.
   *
   * @param rows one in each frame, of their own bytes
   */
  HeldRows(Transaction tx, RowDescription description, List<Frame> rows) {
    this(tx, description, rows, "SELECT ");
  }

  /** {@code tag}: the command's, without its number of rows, which is that of the last portion. */
  HeldRows(Transaction tx, RowDescription description, List<Frame> rows, String tag) {
    super(tx, List.of(), description);
    this.rows = new ArrayDeque<>(rows);
    this.tag = tag;
  }

  @Override
  long held() {
    return rows.stream().mapToLong(Frame::length).sum();
  }

  @Override
  String tag(long count) {
    return tag.endsWith(" ") ? tag + count : tag;
  }

  @Override
  protected void step() {
    while (left() > 0 && !rows.isEmpty()) {
      give(rows.remove());
    }
  }

  @Override
  protected void arrived(ShardPortal from, Frame rows) {
    throw new IllegalStateException("rows that were not asked for");
  }
}
