package org.pgconcord.cdc.change;

import java.util.List;

/**
 * The changes of one transaction in the order they were made. A large transaction's changes lie in
 * a spool on disk, so they are iterated and never assumed to be in memory; each {@link #iterator}
 * starts from the first change again.
 */
public interface RowChanges extends Iterable<RowChange>, AutoCloseable {
  long count();

  /** Lets the spool go; the changes cannot be read after that. */
  @Override
  void close();

  static RowChanges of(List<RowChange> changes) {
    List<RowChange> fixed = List.copyOf(changes);
    return new RowChanges() {
      @Override
      public long count() {
        return fixed.size();
      }

      @Override
      public java.util.Iterator<RowChange> iterator() {
        return fixed.iterator();
      }

      @Override
      public void close() {}
    };
  }
}
