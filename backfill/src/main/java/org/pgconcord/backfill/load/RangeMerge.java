package org.pgconcord.backfill.load;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.pgconcord.backfill.merge.LoserTree;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunCursor;
import org.pgconcord.config.value.ShardId;

/**
 * Writes the rows of one range in key order. Of equal keys only the first row is written: the one
 * of the first run in the list, so a repetition writes the same.
 */
final class RangeMerge {
  private final List<RunCursor> cursors;
  private final List<ShardId> shards;
  private final RowOrder order;
  private final DuplicateRows duplicates = new DuplicateRows();
  private final long[] rowsOfRun;
  private final long[] bytesOfRun;

  /**
   * @param shards the shard of each cursor's run
   */
  RangeMerge(List<RunCursor> cursors, List<ShardId> shards, RowOrder order) {
    this.cursors = cursors;
    this.shards = shards;
    this.order = order;
    this.rowsOfRun = new long[cursors.size()];
    this.bytesOfRun = new long[cursors.size()];
  }

  /** Merges into an open COPY and returns how many rows were written. */
  long writeTo(CopyInStream out) throws SQLException, IOException {
    LoserTree tree = new LoserTree(cursors, order);
    PreviousRow previous = new PreviousRow();
    long rows = 0;
    for (int run = tree.winner(); run >= 0; run = tree.winner()) {
      RunCursor row = cursors.get(run);
      boolean duplicate = previous.sameKey(row, order);
      if (duplicate) {
        duplicates.add(previous, row, shards.get(run));
      } else {
        out.write(row.buffer(), row.rowStart(), row.rowLength());
        rows++;
      }
      rowsOfRun[run]++;
      bytesOfRun[run] += row.rowLength();
      previous.set(row, shards.get(run), !duplicate);
      tree.advance();
    }
    return rows;
  }

  DuplicateRows duplicates() {
    return duplicates;
  }

  /** Rows taken from a run, duplicates among them. */
  long rowsOf(int run) {
    return rowsOfRun[run];
  }

  long bytesOf(int run) {
    return bytesOfRun[run];
  }
}
