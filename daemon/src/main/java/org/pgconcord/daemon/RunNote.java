package org.pgconcord.daemon;

import java.util.function.BooleanSupplier;
import org.pgconcord.config.catalog.Catalog;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The catalog's note of whether a daemon ended with nothing left to be said. A daemon that was
 * killed, lost the daemon's lock, or has a mark that it could not store leaves the note as it is,
 * and the next one finds an unclean end.
 */
final class RunNote implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunNote.class);

  private final Catalog catalog;
  private final DaemonLock lock;
  private final boolean afterUncleanEnd;
  private volatile BooleanSupplier settled;

  private RunNote(Catalog catalog, DaemonLock lock, boolean afterUncleanEnd) {
    this.catalog = catalog;
    this.lock = lock;
    this.afterUncleanEnd = afterUncleanEnd;
    this.settled = () -> !afterUncleanEnd;
  }

  static RunNote begin(Catalog catalog, DaemonLock lock) {
    return new RunNote(catalog, lock, catalog.beginRun());
  }

  boolean afterUncleanEnd() {
    return afterUncleanEnd;
  }

  /** What an unclean end asks for has been done; from now on {@code everything} decides. */
  void settledBy(BooleanSupplier everything) {
    settled = everything;
  }

  @Override
  public void close() {
    if (settled.getAsBoolean() && lock.holds()) {
      catalog.endRun();
    } else {
      log.warn("this end does not count as clean; the next start verifies every reference table");
    }
  }
}
