package org.pgconcord.router.tx;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.pgconcord.config.catalog.CopiedTable;
import org.pgconcord.config.catalog.CopyMarks;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

class RouterEpochsTest {
  private static final Duration NOT_LONG = Duration.ofMillis(20);

  private final RouterEpochs epochs = new RouterEpochs(UsersIndex.routing(1, GsiState.TAILING, 1));

  @Test
  void whoEnteredBeforeAPublicationHoldsItsDrainUp() throws InterruptedException {
    RouterEpochs.Stay old = epochs.enter();
    epochs.publish(UsersIndex.routing(2, GsiState.WRITE_ONLY, 2));
    RouterEpochs.Stay young = epochs.enter();

    assertThat(epochs.openBefore(2)).isEqualTo(1);
    assertThat(epochs.awaitDrained(2, NOT_LONG)).isFalse();
    old.leave();
    old.leave();

    assertThat(epochs.awaitDrained(2, NOT_LONG)).isTrue();
    assertThat(epochs.awaitDrained(3, NOT_LONG)).isFalse();
    young.leave();
    assertThat(epochs.awaitDrained(3, NOT_LONG)).isTrue();
  }

  @Test
  void aLateStateIsLeftOut() {
    epochs.publish(UsersIndex.routing(3, GsiState.ENABLED, 3));
    epochs.publish(UsersIndex.routing(2, GsiState.WRITE_ONLY, 2));
    assertThat(epochs.current().revision()).isEqualTo(3);
  }

  /** A step must not lose a mark that was read after it, nor a mark the step. */
  @Test
  void marksOfCopiesHaveACountOfTheirOwn() {
    CopyMarks newer =
        new CopyMarks(
            5,
            CopyMarks.NONE
                .with(
                    new CopiedTable("app", new TableName("public", "countries")),
                    List.of(new ShardId("shard-b")),
                    "planted")
                .reasons());
    epochs.publish(UsersIndex.routing(1, GsiState.TAILING, 1).withCopies(newer));
    epochs.publish(UsersIndex.routing(2, GsiState.WRITE_ONLY, 2));
    assertThat(epochs.current().revision()).isEqualTo(2);
    assertThat(epochs.current().copies()).isEqualTo(newer);

    CopyMarks cleared = new CopyMarks(6, Map.of());
    epochs.publish(UsersIndex.routing(1, GsiState.TAILING, 1).withCopies(cleared));
    assertThat(epochs.current().revision()).isEqualTo(2);
    assertThat(epochs.current().copies()).isEqualTo(cleared);
  }

  /** Nobody who saw an old state is still inside once its successor has drained. */
  @Test
  void entrantsAndPublicationsNeverMissEachOther() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger working = new AtomicInteger();
    long[] oldestInside = {1};
    List<CompletableFuture<Void>> entrants = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      entrants.add(CompletableFuture.runAsync(() -> work(stop, working, oldestInside)));
    }
    for (long revision = 2; revision < 200; revision++) {
      epochs.publish(UsersIndex.routing(revision, GsiState.TAILING, revision));
      assertThat(epochs.awaitDrained(revision, Duration.ofSeconds(10))).isTrue();
      synchronized (oldestInside) {
        oldestInside[0] = revision;
      }
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> working.get() > 0);
    stop.set(true);
    for (CompletableFuture<Void> entrant : entrants) {
      entrant.get();
    }
  }

  private void work(AtomicBoolean stop, AtomicInteger working, long[] oldestInside) {
    while (!stop.get()) {
      RouterEpochs.Stay stay = epochs.enter();
      long seen = epochs.current().revision();
      synchronized (oldestInside) {
        assertThat(seen).isGreaterThanOrEqualTo(oldestInside[0]);
      }
      working.incrementAndGet();
      stay.leave();
    }
  }
}
