package org.pgconcord.verifier;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.testkit.fixture.ThingsByKey;
import org.pgconcord.testkit.fixture.TwoShards;
import org.pgconcord.verifier.report.Sample;
import org.pgconcord.verifier.report.VerificationReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Two million rows: time of a clean pass, and of finding three faults among them. */
@Tag("long")
class VerifierScaleIT {
  private static final Logger LOG = LoggerFactory.getLogger(VerifierScaleIT.class);
  private static final int ROWS = 2_000_000;

  @Test
  void twoMillionRowsAreVerifiedAndThreeFaultsFoundWithinAMinute() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try (OwnerShards shards = new OwnerShards()) {
      String prefix = "someone.with.a.long.name@example-";
      shards.insertMany(prefix, ROWS);
      try (DecodedTail tail = new DecodedTail(shards, true)) {
        Verifier verifier =
            new Verifier(
                new VerifierServices(
                    shards::service,
                    tail,
                    tail,
                    threads,
                    Clock.systemUTC(),
                    new SecureRandom(),
                    CompareProgress.none(),
                    gsi -> () -> {},
                    VerifyOptions.defaults()));
        VerificationReport clean = timed("clean", verifier, shards);
        assertThat(clean.clean()).isTrue();
        assertThat(clean.counts().expected()).isEqualTo(ROWS);
        for (String number : new String[] {"17", "900000", "1999998"}) {
          try (Connection service = shards.service(TwoShards.A)) {
            ThingsByKey.change(service, "DELETE FROM things_by_k WHERE k = ?", prefix + number);
          }
        }
        VerificationReport faults = timed("faults", verifier, shards);
        assertThat(faults.samples())
            .extracting(Sample::key)
            .containsExactlyInAnyOrder(prefix + "17", prefix + "900000", prefix + "1999998");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static VerificationReport timed(String what, Verifier verifier, OwnerShards shards)
      throws InterruptedException {
    long start = System.nanoTime();
    VerificationReport report =
        verifier.verify(
            shards.index(), new VerifyRequest(GsiState.TAILING, 1, 1, java.util.Map.of(), false));
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    LOG.info("verify case={} rows={} seconds={}", what, ROWS, took.toMillis() / 1000.0);
    assertThat(took).isLessThan(Duration.ofMinutes(1));
    return report;
  }
}
