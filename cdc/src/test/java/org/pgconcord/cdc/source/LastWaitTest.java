package org.pgconcord.cdc.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LastWaitTest {
  private static final Duration SHORT = Duration.ofMillis(20);

  @Test
  void anEngineThatWaitsForAPollItHasDroppedIsWoken() {
    Thread engine = new Thread(() -> awaitWoken(2));
    engine.start();

    LastWait.forEndOf(engine, SHORT);

    assertThat(engine.isAlive()).isFalse();
  }

  @Test
  void whoIsInterruptedMeanwhileWaitsOnAndKnowsIt() throws InterruptedException {
    AtomicBoolean told = new AtomicBoolean();
    Thread engine = new Thread(() -> awaitWoken(2));
    engine.start();
    Thread closer =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              LastWait.forEndOf(engine, SHORT);
              told.set(Thread.currentThread().isInterrupted());
            });
    closer.start();
    closer.join();

    assertThat(engine.isAlive()).isFalse();
    assertThat(told).isTrue();
  }

  @Test
  void theThreadItselfDoesNotWait() throws InterruptedException {
    Thread engine = new Thread(() -> LastWait.forEndOf(Thread.currentThread(), SHORT));
    engine.start();
    engine.join();
    assertThat(engine.isAlive()).isFalse();
  }

  /** Waits for what never comes, so many times. */
  private static void awaitWoken(int times) {
    CountDownLatch never = new CountDownLatch(1);
    for (int woken = 0; woken < times; ) {
      try {
        never.await();
      } catch (InterruptedException e) {
        woken++;
      }
    }
  }
}
