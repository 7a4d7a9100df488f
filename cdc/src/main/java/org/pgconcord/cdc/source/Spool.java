package org.pgconcord.cdc.source;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.RowChanges;
import org.pgconcord.state.store.StateBatch;
import org.pgconcord.state.store.StateKey;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.state.store.StateTable;

/**
 * Where the changes of one large transaction wait for its end. It holds nothing that the slot would
 * not send again: a stream that starts clears what an earlier one left.
 */
final class Spool implements RowChanges {
  private static final int WRITE_AT = 512;

  private final StateStore store;
  private final String owner;
  private final long number;
  private final List<RowChange> tail = new ArrayList<>(WRITE_AT);
  private long written;

  /**
   * @param owner the slot's name: several streams share the store
   * @param number differs between the transactions of one stream that are spooled at one time
   */
  Spool(StateStore store, String owner, long number) {
    this.store = store;
    this.owner = owner;
    this.number = number;
  }

  /** Drops what a stream that did not end in order left behind. */
  static void clear(StateStore store, String owner) {
    store.write(new StateBatch().deletePrefix(StateTable.SPOOL, StateKey.of(owner).bytes()));
  }

  void add(RowChange change) {
    tail.add(change);
    if (tail.size() >= WRITE_AT) {
      flush();
    }
  }

  /** After the last {@link #add}. */
  void flush() {
    StateBatch batch = new StateBatch();
    for (RowChange change : tail) {
      batch.put(
          StateTable.SPOOL,
          StateKey.of(owner).number(number).number(written++).bytes(),
          RowCodec.encode(change));
    }
    store.write(batch);
    tail.clear();
  }

  @Override
  public long count() {
    return written + tail.size();
  }

  /** Reads page by page, so that no cursor outlives a caller who stops half-way. */
  @Override
  public Iterator<RowChange> iterator() {
    return new Iterator<>() {
      private final List<RowChange> page = new ArrayList<>();
      private int at;
      private long next;

      @Override
      public boolean hasNext() {
        if (at < page.size()) {
          return true;
        }
        page.clear();
        at = 0;
        for (int i = 0; i < WRITE_AT && next < written; i++) {
          page.add(read(next++));
        }
        return !page.isEmpty();
      }

      @Override
      public RowChange next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return page.get(at++);
      }
    };
  }

  private RowChange read(long position) {
    byte[] key = StateKey.of(owner).number(number).number(position).bytes();
    return store
        .get(StateTable.SPOOL, key)
        .map(RowCodec::decode)
        .orElseThrow(() -> new IllegalStateException("the spool lost a change"));
  }

  @Override
  public void close() {
    store.write(
        new StateBatch().deletePrefix(StateTable.SPOOL, StateKey.of(owner).number(number).bytes()));
  }
}
