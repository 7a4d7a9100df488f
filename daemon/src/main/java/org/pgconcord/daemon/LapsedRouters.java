package org.pgconcord.daemon;

import java.time.Duration;
import org.pgconcord.config.catalog.RouterLeases;
import org.pgconcord.daemon.build.ReferenceOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to what a router may have left whose lease has lapsed: an uneven commit of a reference
 * table's copies, and entries of rows that it never committed. The lease is forgotten last, so that
 * a daemon which dies in between leaves it to the next one.
 */
final class LapsedRouters {
  private static final Logger log = LoggerFactory.getLogger(LapsedRouters.class);

  /** A router that comes back within it has left nothing. */
  private static final Duration GRACE = Duration.ofSeconds(3);

  private final RouterLeases leases;
  private final String own;
  private final ReferenceOperations references;
  private final Engines engines;

  LapsedRouters(RouterLeases leases, String own, ReferenceOperations references, Engines engines) {
    this.leases = leases;
    this.own = own;
    this.references = references;
    this.engines = engines;
  }

  /** Recurring work. */
  void look() {
    for (RouterLeases.Row router : leases.lapsed(GRACE)) {
      if (!router.id().equals(own)) {
        log.warn("router lease has lapsed router={} address={}", router.id(), router.address());
        references.markAll(
            "the lease of router " + router.id() + " has lapsed; not verified since");
        engines.sweepAll();
        leases.remove(router.id());
        var unused = references.verifyMarked();
      }
    }
  }
}
