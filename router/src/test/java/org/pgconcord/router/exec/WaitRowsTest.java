package org.pgconcord.router.exec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.tx.Deadlocks.Backend;
import org.pgconcord.router.tx.Deadlocks.Block;

/** What a server says of its waits, and what is made of it. */
class WaitRowsTest {
  private static final ShardId SHARD = new ShardId("a");
  private final List<List<@Nullable String>> rows = new ArrayList<>();

  private void row(@Nullable String... columns) {
    rows.add(Arrays.asList(columns));
  }

  private void waits(int process, int since, String lock, @Nullable String blockers) {
    row("" + process, "" + since, lock, "f", blockers, null);
  }

  private List<String> blocks() {
    return new WaitRows(SHARD, rows)
        .blocks().stream()
            .map(b -> b.waiting().processId() + " for " + b.blocking().processId())
            .sorted()
            .toList();
  }

  @Test
  void aQueueIsAChainBehindItsHolder() {
    waits(11, 1, "row", "{10}");
    waits(12, 2, "row", "{10,11}");
    waits(13, 3, "row", "{10,11,12}");
    assertThat(blocks())
        .containsExactly("11 for 10", "12 for 10", "12 for 11", "13 for 10", "13 for 12");
  }

  @Test
  void whoWaitsForAnotherLockIsNoneOfTheQueue() {
    waits(11, 1, "elsewhere", null);
    waits(12, 5, "elsewhere", null);
    waits(13, 9, "row", "{11,12}");
    assertThat(blocks()).containsExactly("13 for 11", "13 for 12");
  }

  /** It has the lock for reading, as others have, and wants it for itself. */
  @Test
  void whoHoldsWhatItWaitsForBlocksAsAHolder() {
    row("11", "1", "table", "t", null, null);
    waits(12, 2, "table", null);
    waits(13, 3, "table", "{11,12}");
    assertThat(blocks()).containsExactly("13 for 11", "13 for 12");
  }

  @Test
  void marksAreOfWhoShowsOneOnly() {
    waits(11, 1, "row", "{10}");
    row("10", null, null, null, null, "70");
    row("11", null, null, null, null, "71");
    assertThat(new WaitRows(SHARD, rows).blocks())
        .containsExactly(new Block(new Backend(SHARD, 11), 71, 1, new Backend(SHARD, 10), 70));
    row("10", null, null, null, null, "99");
    assertThat(new WaitRows(SHARD, rows).blocks())
        .containsExactly(new Block(new Backend(SHARD, 11), 71, 1, new Backend(SHARD, 10), 0));
  }

  @Test
  void blockersWithoutABackendAreNobody() {
    waits(11, 1, "xid", "{0}");
    waits(12, 1, "xid", "{}");
    assertThat(new WaitRows(SHARD, rows).blocks())
        .containsExactly(new Block(new Backend(SHARD, 11), 0, 1, new Backend(SHARD, 0), 0));
  }
}
