package org.pgconcord.cdc.apply;

/**
 * Counts the row changes that one stream has brought to one index since it was first served. They
 * show while a large transaction is still being applied; what a failed attempt counted is taken
 * back. The tail's thread writes, any thread reads.
 */
final class AppliedRows {
  private long done;
  private long open;
  private volatile long shown;

  long count() {
    return shown;
  }

  void one() {
    open++;
    shown = done + open;
  }

  /** What has been counted is durable. */
  void keep() {
    done += open;
    open = 0;
  }

  void takeBack() {
    open = 0;
    shown = done;
  }
}
