package org.pgconcord.daemon;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.pgconcord.config.settings.DaemonSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running daemon. {@link #start} returns when everything serves; {@link #close} drains: it stops
 * being ready, lets open transactions end for a moment, then stops all parts in the reverse of the
 * order in which they began. Nothing needs a clean end: a daemon that was killed starts again from
 * the catalog.
 */
public final class Daemon implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Daemon.class);

  private final Closing parts;
  private final Addresses addresses;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean closing = new AtomicBoolean();
  private final AtomicBoolean failed = new AtomicBoolean();

  /** Where the parts listen. */
  record Addresses(InetSocketAddress admin, InetSocketAddress router) {}

  Daemon(Closing parts, Addresses addresses) {
    this.parts = parts;
    this.addresses = addresses;
  }

  /**
   * Starts every part.
   *
   * @param environment may hold the service role's password
   * @throws org.pgconcord.config.error.ConcordException when the configuration or a shard forbids
   *     it; nothing is left running then
   */
  public static Daemon start(DaemonSettings settings, Map<String, String> environment) {
    long begin = System.nanoTime();
    Daemon daemon = new Wiring(settings, environment).start();
    log.info("daemon ready milliseconds={}", (System.nanoTime() - begin) / 1_000_000);
    return daemon;
  }

  /**
   * Starts a router alone, beside the daemon that has made the catalog; it is drained and closed as
   * a daemon is.
   *
   * @throws org.pgconcord.config.error.ConcordException as {@link #start}; {@code
   *     router/no-catalog} before a daemon has run
   */
  public static Daemon startRouter(DaemonSettings settings, Map<String, String> environment) {
    long begin = System.nanoTime();
    Daemon router = new RouterWiring(settings, environment).start();
    log.info("router ready milliseconds={}", (System.nanoTime() - begin) / 1_000_000);
    return router;
  }

  public InetSocketAddress adminAddress() {
    return addresses.admin();
  }

  public InetSocketAddress routerAddress() {
    return addresses.router();
  }

  /** Ends the daemon because it may not go on; {@link #awaitEnd} tells. */
  void fail(String reason) {
    log.error("daemon ends reason=\"{}\"", reason);
    failed.set(true);
    ended.countDown();
  }

  /** Waits until the daemon is closed or fails; true for the former. */
  public boolean awaitEnd() throws InterruptedException {
    ended.await();
    if (failed.get()) {
      close();
    }
    return !failed.get();
  }

  @Override
  public void close() {
    if (closing.compareAndSet(false, true)) {
      long begin = System.nanoTime();
      log.info("daemon stopping");
      parts.close();
      log.info("daemon stopped milliseconds={}", (System.nanoTime() - begin) / 1_000_000);
      ended.countDown();
    }
  }
}
