package org.pgconcord.backfill;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.state.store.StateStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two million rows: time and memory. */
@Tag("long")
class BackfillScaleIT {
  private static final Logger LOG = LoggerFactory.getLogger(BackfillScaleIT.class);
  private static final int ROWS = 2_000_000;
  private static final long MOST_RESIDENT_KILOBYTES = 1_200_000;

  @Test
  void twoMillionRowsAreLoadedWithinAMinuteAndBoundedMemory(@TempDir Path directory)
      throws Exception {
    try (OwnerShards shards = new OwnerShards();
        StateStore store = StateStore.open(directory.resolve("rocks"))) {
      shards.insertMany("someone.with.a.long.name@example-", ROWS);
      Map<ShardId, OwnerSnapshot> snapshots = shards.snapshots();
      long start = System.nanoTime();

      BackfillResult result =
          new Backfill(
                  shards.index(),
                  new BackfillServices(
                      shards::service,
                      store,
                      directory,
                      BackfillOptions.defaults(),
                      (transaction, gsi, points) -> {},
                      new NoFindings()),
                  progress -> {})
              .run(snapshots);

      Duration took = Duration.ofNanos(System.nanoTime() - start);
      LOG.info(
          "backfill rows={} seconds={} rows_per_second={} peak_resident_kilobytes={}",
          result.rows(),
          took.toMillis() / 1000.0,
          result.rows() * 1000 / took.toMillis(),
          peakResidentKilobytes());
      assertThat(result).isEqualTo(new BackfillResult(ROWS, 0, 0));
      assertThat(took).isLessThan(Duration.ofMinutes(1));
      assertThat(peakResidentKilobytes()).isLessThan(MOST_RESIDENT_KILOBYTES);
    }
  }

  private static long peakResidentKilobytes() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("VmHWM:"))
        .map(line -> line.replaceAll("[^0-9]", ""))
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElseThrow();
  }

  private static final class NoFindings implements BuildFindings {
    @Override
    public void nullViolation(GsiName gsi, NullViolation violation) {
      throw new AssertionError("found " + violation);
    }

    @Override
    public void duplicate(GsiName gsi, DuplicateKey duplicate) {
      throw new AssertionError("found " + duplicate);
    }
  }
}
