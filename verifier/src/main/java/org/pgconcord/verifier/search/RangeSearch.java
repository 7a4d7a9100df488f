package org.pgconcord.verifier.search;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.pgconcord.verifier.search.Comparison.Pair;
import org.pgconcord.verifier.sum.KeyBounds;

/**
 * Narrows a difference of sums down: a range that differs is cut into parts, summed again in the
 * same snapshots, and the parts that differ are searched further until they are small enough to be
 * read whole. Ranges with equal sums are never read.
 */
public final class RangeSearch {
  private static final int PARTS = 64;
  private static final long READ_ROWS = 20_000;
  private static final int MOST_READ = 400;
  private static final int MOST_SUSPECTS = 50_000;

  private final Comparison comparison;
  private final Deque<Open> open = new ArrayDeque<>();
  private final List<KeyState> suspects = new ArrayList<>();
  private int read;
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
  public Found search(Pair whole) throws SQLException {
    if (!whole.equal()) {
      open.add(new Open(KeyBounds.ALL, whole));
    }
    for (Open range = open.poll(); range != null; range = open.poll()) {
      if (read >= MOST_READ || suspects.size() >= MOST_SUSPECTS) {
        complete = false;
        break;
      }
      narrow(range);
    }
    return new Found(suspects, complete);
  }

  private void narrow(Open range) throws SQLException {
    List<String> cuts =
        range.sums.rows() <= READ_ROWS
            ? List.of()
            : comparison.cuts(range.bounds, range.sums, PARTS);
    if (cuts.isEmpty()) {
      read++;
      suspects.addAll(comparison.differing(range.bounds));
      return;
    }
    List<KeyBounds> bounds = range.bounds.cut(cuts);
    List<Pair> pairs = comparison.parts(range.bounds, cuts);
    for (int i = 0; i < bounds.size(); i++) {
      if (!pairs.get(i).equal()) {
        open.add(new Open(bounds.get(i), pairs.get(i)));
      }
    }
  }
}
