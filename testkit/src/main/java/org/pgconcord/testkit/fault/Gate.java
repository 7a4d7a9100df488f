package org.pgconcord.testkit.fault;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds one message until the test lets it go. */
public final class Gate {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  /** True when a message is held here, or was, within {@code limit}. */
  public boolean awaitReached(Duration limit) throws InterruptedException {
    return reached.await(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  public void release() {
    released.countDown();
  }

  void pass() throws InterruptedException {
    reached.countDown();
    released.await();
  }
}
