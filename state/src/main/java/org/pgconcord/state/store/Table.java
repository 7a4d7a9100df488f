package org.pgconcord.state.store;

import java.util.Optional;

/**
 * A typed view of one table. Two views of one table must not share keys: start each view's keys
 * with a part of its own.
 */
public record Table<K, V>(StateStore store, StateTable table, Codec<K> keys, Codec<V> values) {
  public Optional<V> get(K key) {
    return store.get(table, keys.encode(key)).map(values::decode);
  }

  public void put(K key, V value) {
    store.write(new StateBatch().put(this, key, value));
  }

  public void delete(K key) {
    store.write(new StateBatch().delete(this, key));
  }

  /** All entries in key order; close the cursor. */
  public Cursor<K, V> scan() {
    return scan(new byte[0]);
  }

  /** The entries whose stored key starts with {@code prefix}, in key order; close the cursor. */
  public Cursor<K, V> scan(byte[] prefix) {
    return store.scan(table, prefix, keys, values);
  }
}
