package org.pgconcord.daemon.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiProgress;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

class ProgressTableTest {
  private static final GsiName GSI = new GsiName("app", "by_email");

  @Test
  void aSlowCatalogGetsTheNewestLineOfEachShardAndHoldsUpNobody() {
    List<List<GsiProgress>> writes = new CopyOnWriteArrayList<>();
    CountDownLatch answer = new CountDownLatch(1);
    try (ProgressTable table =
        new ProgressTable(
            rows -> {
              writes.add(rows);
              awaitQuietly(answer);
            })) {
      table.accept(List.of(line("shard-a", 1)));
      await().until(() -> writes.size() == 1);
      for (int rows = 2; rows <= 100; rows++) {
        table.accept(List.of(line("shard-a", rows), line("shard-b", rows)));
      }
      answer.countDown();
      await().until(() -> writes.size() == 2);
    }
    assertThat(writes).hasSize(2);
    assertThat(writes.get(1)).extracting(GsiProgress::rows).containsExactly(100L, 100L);
  }

  @Test
  void whatCouldNotBeWrittenGoesWithTheNextTry() {
    List<GsiProgress> written = new CopyOnWriteArrayList<>();
    AtomicInteger tries = new AtomicInteger();
    try (ProgressTable table =
        new ProgressTable(
            rows -> {
              if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("the catalog is away");
              }
              written.addAll(rows);
            })) {
      table.accept(List.of(line("shard-a", 7)));
      await()
          .until(
              () -> {
                table.accept(List.of());
                return !written.isEmpty();
              });
    }
    assertThat(written).extracting(GsiProgress::rows).containsExactly(7L);
  }

  private static ShardProgress line(String shard, long rows) {
    return new ShardProgress(
        GSI, new ShardId(shard), "backfill", rows, 100, (double) rows, 0, null, 0, 0.0, 0);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
