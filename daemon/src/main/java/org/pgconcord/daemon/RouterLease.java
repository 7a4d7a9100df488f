package org.pgconcord.daemon;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.config.error.ConcordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's lease as a router. It holds by this process's monotonic clock, from the moment
 * before its renewal was sent: whoever judges it by the catalog sees it lapse later. A thread of
 * its own renews it each second, and at once when there is more to acknowledge.
 *
 * <p>After a lapse, and at the beginning, the lease holds only when the catalog has been read after
 * the renewal that took it: a step that did not see it was taken before that read.
 */
final class RouterLease implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RouterLease.class);
  private static final Duration RENEW = Duration.ofSeconds(1);
  private static final long LOOK_MILLIS = 50;

  /** How long a newer revision may be known to the catalog alone. */
  private static final Duration BEHIND = Duration.ofSeconds(10);

  private final String id;
  private final String address;
  private final RouterLeases leases;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private Work work = Work.NOTHING;
  private volatile long validUntil;
  private long renewedAt;
  private long acknowledged;
  private long upToDateAt;
  private boolean warned;

  /**
   * What a lease depends on.
   *
   * @param revision that this router works under
   * @param acknowledged that it acknowledges
   * @param readCatalog makes the router work by what the catalog has now
   * @param trustworthy false while the catalog lacks something that others must know of this router
   */
  record Work(
      LongSupplier revision,
      LongSupplier acknowledged,
      Runnable readCatalog,
      BooleanSupplier trustworthy) {
    static final Work NOTHING = new Work(() -> 0, () -> 0, () -> {}, () -> true);
  }

  /**
   * @param address where the router listens
   */
  RouterLease(String id, String address, RouterLeases leases) {
    this.id = id;
    this.address = address;
    this.leases = leases;
    this.validUntil = System.nanoTime();
    this.thread = new Thread(this::run, "router-lease");
    this.thread.setDaemon(true);
  }

  String id() {
    return id;
  }

  /** Whether a statement on a fenced table may start. Any thread. */
  boolean valid() {
    return validUntil - System.nanoTime() > 0;
  }

  /** Tells the catalog of this router before it reads the catalog; it acknowledges nothing yet. */
  void announce() {
    leases.renew(id, address, 0);
  }

  /** Takes the lease and keeps it from now on. */
  void start(Work depends) {
    work = depends;
    upToDateAt = System.nanoTime();
    renew(depends.acknowledged().getAsLong());
    thread.start();
  }

  private void run() {
    while (!closed()) {
      long now = System.nanoTime();
      long more = work.acknowledged().getAsLong();
      if (more != acknowledged || now - renewedAt >= RENEW.toNanos()) {
        attempt(more);
      }
    }
  }

  private boolean closed() {
    try {
      return closing.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      return true;
    }
  }

  private void attempt(long more) {
    try {
      renew(more);
    } catch (ConcordException e) {
      renewedAt = System.nanoTime();
      if (!warned) {
        warned = true;
        log.warn("router lease not renewed cause=\"{}\" detail=\"{}\"", e.message(), e.detail());
      }
    }
  }

  private void renew(long more) {
    long sent = System.nanoTime();
    renewedAt = sent;
    if (!work.trustworthy().getAsBoolean()) {
      return;
    }
    boolean lapsed = !valid();
    long revision = leases.renew(id, address, more);
    acknowledged = more;
    if (lapsed) {
      work.readCatalog().run();
    }
    if (revision <= work.revision().getAsLong()) {
      upToDateAt = System.nanoTime();
    }
    if (System.nanoTime() - upToDateAt < BEHIND.toNanos()) {
      validUntil = sent + RouterLeases.LASTS.toNanos();
      if (warned) {
        warned = false;
        log.info("router lease renewed");
      }
    } else if (!warned) {
      warned = true;
      log.warn("router lease not taken: the catalog is at revision {} since long", revision);
    }
  }

  /** Nothing is open any more: others need not wait for the lapse. */
  @Override
  public void close() {
    closing.countDown();
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    validUntil = System.nanoTime();
    if (work.trustworthy().getAsBoolean()) {
      try {
        leases.remove(id);
      } catch (ConcordException e) {
        log.warn("router lease not given back; it lapses cause=\"{}\"", e.message());
      }
    }
  }
}
