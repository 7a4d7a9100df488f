package org.pgconcord.backfill.merge;

import java.io.IOException;
import java.util.List;
import org.pgconcord.backfill.order.RowOrder;
import org.pgconcord.backfill.run.RunCursor;

/**
 * A tournament of runs (Knuth, The Art of Computer Programming, volume 3, 5.4.1): the winner is the
 * cursor with the smallest key, equal keys in the order of the list. Each inner node keeps the
 * loser of its match, so that after the winner moves on only the matches on its path are played
 * again: log2(runs) comparisons a row. An exhausted cursor loses to all others.
 */
public final class LoserTree {
  private final RunCursor[] cursors;
  private final RowOrder order;

  /** {@code losers[0]} is the winner of all, {@code losers[1..n-1]} the losers of the matches. */
  private final int[] losers;

  public LoserTree(List<RunCursor> cursors, RowOrder order) {
    this.cursors = cursors.toArray(RunCursor[]::new);
    this.order = order;
    this.losers = new int[Math.max(1, this.cursors.length)];
    if (this.cursors.length > 0) {
      losers[0] = play(1);
    }
  }

  /** The index of the cursor with the smallest key, or -1 when all are exhausted. */
  public int winner() {
    return cursors.length == 0 || cursors[losers[0]].exhausted() ? -1 : losers[0];
  }

  /** Moves the winner on and finds the next one. */
  public void advance() throws IOException {
    int contender = losers[0];
    cursors[contender].advance();
    for (int node = (contender + cursors.length) >>> 1; node >= 1; node >>>= 1) {
      if (beats(losers[node], contender)) {
        int loser = contender;
        contender = losers[node];
        losers[node] = loser;
      }
    }
    losers[0] = contender;
  }

  /** Plays all matches below a node, keeps their losers and returns the winner. */
  private int play(int node) {
    if (node >= cursors.length) {
      return node - cursors.length;
    }
    int left = play(2 * node);
    int right = play(2 * node + 1);
    boolean leftWins = beats(left, right);
    losers[node] = leftWins ? right : left;
    return leftWins ? left : right;
  }

  private boolean beats(int a, int b) {
    if (cursors[a].exhausted() || cursors[b].exhausted()) {
      return !cursors[a].exhausted() || (cursors[b].exhausted() && a < b);
    }
    int compared = cursors[a].compare(cursors[b], order);
    return compared != 0 ? compared < 0 : a < b;
  }
}
