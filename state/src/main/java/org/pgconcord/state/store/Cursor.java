package org.pgconcord.state.store;

import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/**
 * Entries in key order, as they were when the scan began. It pins memory of the store until it is
 * closed; the store waits for that when it closes, and the cursor goes no further then.
 */
public final class Cursor<K, V> implements Iterator<Map.Entry<K, V>>, AutoCloseable {
  private final Uses uses;
  private final ReadOptions options;
  private final RocksIterator iterator;
  private final byte[] prefix;
  private final Codec<K> keys;
  private final Codec<V> values;

  private boolean closed;

  /** Takes over a use that has begun. */
  Cursor(
      Uses uses,
      ReadOptions options,
      RocksIterator iterator,
      byte[] prefix,
      Codec<K> keys,
      Codec<V> values) {
    this.uses = uses;
    this.options = options;
    this.iterator = iterator;
    this.prefix = prefix;
    this.keys = keys;
    this.values = values;
    iterator.seek(prefix);
  }

  @Override
  public boolean hasNext() {
    uses.check();
    if (iterator.isValid()) {
      return Prefixes.startsWith(iterator.key(), prefix);
    }
    try {
      iterator.status();
    } catch (RocksDBException e) {
      throw StateStore.damaged(e);
    }
    return false;
  }

  @Override
  public Map.Entry<K, V> next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    Map.Entry<K, V> entry = Map.entry(keys.decode(iterator.key()), values.decode(iterator.value()));
    iterator.next();
    return entry;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    iterator.close();
    options.close();
    uses.end();
  }
}
