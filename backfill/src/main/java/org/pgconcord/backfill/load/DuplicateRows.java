package org.pgconcord.backfill.load;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.pgconcord.backfill.run.RunCursor;
import org.pgconcord.config.value.ShardId;

/**
 * The rows of one range whose keys have several owners, grouped by key: the entry that is loaded,
 * then the others. Kept as bytes until the range is in; at most {@link #MOST} rows are kept, the
 * rest only counted.
 */
final class DuplicateRows {
  static final int MOST = 100_000;

  /** A kept row: where it came from, and whether a new key begins with it. */
  record Kept(ShardId shard, boolean first) {}

  private final ByteArrayOutputStream rows = new ByteArrayOutputStream();
  private final List<Kept> kept = new ArrayList<>();
  private long count;

  /** Adds an owner that gets no entry; {@code previous} is the row before it in the merge. */
  void add(PreviousRow previous, RunCursor row, ShardId shard) {
    count++;
    if (kept.size() + 2 > MOST) {
      return;
    }
    if (previous.loaded()) {
      rows.write(previous.bytes(), 0, previous.length());
      kept.add(new Kept(previous.shard(), true));
    }
    rows.write(row.buffer(), row.rowStart(), row.rowLength());
    kept.add(new Kept(shard, false));
  }

  /** Owner rows without an entry. */
  long count() {
    return count;
  }

  byte[] bytes() {
    return rows.toByteArray();
  }

  List<Kept> kept() {
    return kept;
  }
}
