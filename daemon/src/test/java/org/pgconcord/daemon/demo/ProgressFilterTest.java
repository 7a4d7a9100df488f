package org.pgconcord.daemon.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressFilterTest {
  private final AtomicLong clock = new AtomicLong();
  private final ProgressFilter filter = new ProgressFilter(clock::get);

  @Test
  void aShardIsShownAtEachPhaseAndThenEveryTenSeconds() {
    assertThat(show("shard-a", "backfill")).isTrue();
    assertThat(show("shard-b", "backfill")).isTrue();
    assertThat(show("shard-a", "backfill")).isFalse();
    assertThat(show("shard-a", "tail")).isTrue();
    clock.addAndGet(9_000_000_000L);
    assertThat(show("shard-a", "tail")).isFalse();
    clock.addAndGet(1_000_000_000L);
    assertThat(show("shard-a", "tail")).isTrue();
    assertThat(filter.show("an earlier run was killed")).isTrue();
  }

  private boolean show(String shard, String phase) {
    return filter.show(
        "gsi progress gsi=app.by_email shard=" + shard + " phase=" + phase + " rows=1");
  }
}
