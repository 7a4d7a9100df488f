package org.pgconcord.backfill.load;

import java.util.Arrays;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunCursor;
import org.pgconcord.config.value.ShardId;

/** The row before in a merge, copied into an array that grows and is used again. */
final class PreviousRow {
  private byte[] bytes = new byte[256];
  private int length;
  private boolean loaded;
  private ShardId shard = new ShardId("none");

  void set(RunCursor row, ShardId from, boolean wasLoaded) {
    if (row.rowLength() > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(row.rowLength(), 2 * bytes.length));
    }
    System.arraycopy(row.buffer(), row.rowStart(), bytes, 0, row.rowLength());
    length = row.rowLength();
    shard = from;
    loaded = wasLoaded;
  }

  boolean sameKey(RunCursor row, RowOrder order) {
    return length > 0 && row.compareRow(bytes, order) == 0;
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  boolean loaded() {
    return loaded;
  }

  ShardId shard() {
    return shard;
  }
}
