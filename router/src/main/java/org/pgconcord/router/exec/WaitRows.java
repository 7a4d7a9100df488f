package org.pgconcord.router.exec;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Deadlocks.Backend;
import org.pgconcord.router.tx.Deadlocks.Block;

/**
 * What a server said of its waits. Who waits in a queue is blocked by the holders of the lock and
 * by all before it who want it in another way, as {@code pg_blocking_pids} has it. Of those before
 * it only the last matters: who waits for that one waits, through it, for what the others wait for.
 * So a queue of a thousand is some thousand blocks and not half a million.
 */
final class WaitRows {
  private static final long NOBODY = 0;

  /**
   * A backend that waits.
   *
   * @param what names the lock
   * @param holds it has the lock already and wants more of it
   * @param blockers empty when it was not asked about
   */
  private record Waiter(long since, String what, boolean holds, List<Integer> blockers) {
    boolean queuesWith(Waiter other) {
      return !holds && what.equals(other.what);
    }
  }

  private final ShardId shard;
  private final Map<Integer, Waiter> waiters = new HashMap<>();
  private final Map<Integer, Long> marks = new HashMap<>();

  /**
   * @param rows process; since when, lock, whether held, blockers of one that waits; mark
   */
  WaitRows(ShardId shard, List<List<@Nullable String>> rows) {
    this.shard = shard;
    for (List<@Nullable String> row : rows) {
      int process = Integer.parseInt(text(row, 0));
      if (row.get(2) != null) {
        waiters.put(
            process,
            new Waiter(
                Long.parseLong(text(row, 1)),
                text(row, 2),
                text(row, 3).equals("t"),
                processes(row.get(4))));
      } else {
        // Whoever shows two marks is nobody's: somebody pretends.
        marks.merge(process, Long.parseLong(text(row, 5)), (one, two) -> NOBODY);
      }
    }
  }

  Set<Block> blocks() {
    Set<Block> blocks = new HashSet<>();
    waiters.forEach((process, waiter) -> add(process, waiter, blocks));
    return blocks;
  }

  private void add(int process, Waiter waiter, Set<Block> blocks) {
    int last = 0;
    long lastSince = Long.MIN_VALUE;
    for (int blocker : waiter.blockers()) {
      Waiter before = waiters.get(blocker);
      if (before == null || !before.queuesWith(waiter)) {
        blocks.add(block(process, waiter, blocker));
      } else if (before.since() > lastSince) {
        last = blocker;
        lastSince = before.since();
      }
    }
    if (lastSince > Long.MIN_VALUE) {
      blocks.add(block(process, waiter, last));
    }
  }

  private Block block(int process, Waiter waiter, int blocker) {
    return new Block(
        new Backend(shard, process),
        marks.getOrDefault(process, NOBODY),
        waiter.since(),
        new Backend(shard, blocker),
        marks.getOrDefault(blocker, NOBODY));
  }

  private static List<Integer> processes(@Nullable String array) {
    if (array == null || array.equals("{}")) {
      return List.of();
    }
    return Arrays.stream(array.substring(1, array.length() - 1).split(","))
        .map(Integer::valueOf)
        .toList();
  }

  private static String text(List<@Nullable String> row, int column) {
    return Objects.requireNonNull(row.get(column), "a value");
  }
}
