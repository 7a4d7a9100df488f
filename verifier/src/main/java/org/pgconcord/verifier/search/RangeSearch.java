package org.pgconcord.verifier.search;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.verifier.search.Comparison.Pair;
import org.pgconcord.verifier.sum.KeyBounds;

/**
 * Narrows a difference of sums down: a range that differs is cut into parts, summed again in the
 * same snapshots, and the parts that differ are read, many small ones in one pass over the tables.
 * A part that is too large to be read is cut again; parts with equal sums are never read.
 */
public final class RangeSearch {
  /** Rows of a part, about. */
  private static final long PART_ROWS = 8_000;

  private static final long MOST_PARTS = 1_024;

  /** Rows that are held here at once, of each side. */
  private static final long READ_ROWS = 50_000;

  private static final int MOST_READS = 100;
  private static final int MOST_SUSPECTS = 50_000;

  private final Comparison comparison;
  private final Deque<Open> open = new ArrayDeque<>();
  private final List<KeyState> suspects = new ArrayList<>();
  private int reads;
  private boolean complete = true;

  private record Open(KeyBounds bounds, Pair sums) {}

  public RangeSearch(Comparison comparison) {
    this.comparison = comparison;
  }

  /**
   * The keys that differ.
   *
   * @param suspects as far as they were looked for
   * @param complete false when there are so many that the search was given up
   */
  public record Found(List<KeyState> suspects, boolean complete) {}

  /** Searches all keys, whose sums are {@code whole}. */
  public Found search(Pair whole) throws SQLException, InterruptedException {
    if (!whole.equal()) {
      open.add(new Open(KeyBounds.ALL, whole));
    }
    for (Open range = open.poll(); range != null && goOn(); range = open.poll()) {
      narrow(range);
    }
    return new Found(suspects, complete);
  }

  private boolean goOn() {
    complete = reads < MOST_READS && suspects.size() < MOST_SUSPECTS;
    return complete;
  }

  private void narrow(Open range) throws SQLException, InterruptedException {
    List<Tuple> cuts = List.of();
    if (range.sums.rows() > PART_ROWS) {
      long parts = Math.min(MOST_PARTS, range.sums.rows() / PART_ROWS + 1);
      cuts = new ArrayList<>(comparison.cuts(range.bounds, range.sums, (int) parts));
      // A range of one key alone has no other cut, and would be cut there again and again.
      cuts.remove(range.bounds.lower());
    }
    if (cuts.isEmpty()) {
      reads++;
      suspects.addAll(comparison.differing(range.bounds));
      return;
    }
    readOrCut(range.bounds, cuts, comparison.parts(range.bounds, cuts));
  }

  /** Reads the differing parts in passes of bounded size; what is too large is left open. */
  private void readOrCut(KeyBounds bounds, List<Tuple> cuts, List<Pair> pairs)
      throws SQLException, InterruptedException {
    List<KeyBounds> parts = bounds.cut(cuts);
    List<Integer> pass = new ArrayList<>();
    long rows = 0;
    for (int i = 0; i < parts.size() && goOn(); i++) {
      Pair pair = pairs.get(i);
      if (pair.equal()) {
        continue;
      }
      if (pair.rows() > READ_ROWS) {
        open.add(new Open(parts.get(i), pair));
        continue;
      }
      if (rows + pair.rows() > READ_ROWS) {
        read(bounds, cuts, pass);
        rows = 0;
      }
      pass.add(i);
      rows += pair.rows();
    }
    read(bounds, cuts, pass);
  }

  private void read(KeyBounds bounds, List<Tuple> cuts, List<Integer> pass)
      throws SQLException, InterruptedException {
    if (!pass.isEmpty()) {
      reads++;
      suspects.addAll(comparison.differing(bounds, cuts, List.copyOf(pass)));
      pass.clear();
    }
  }
}
