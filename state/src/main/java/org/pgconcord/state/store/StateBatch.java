package org.pgconcord.state.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Changes that become visible and durable together, in the order in which they were added. */
public final class StateBatch {
  private interface Change {
    void addTo(WriteBatch writes, Function<StateTable, ColumnFamilyHandle> families)
        throws RocksDBException;
  }

  private final List<Change> changes = new ArrayList<>();

  public <K, V> StateBatch put(Table<K, V> table, K key, V value) {
    return put(table.table(), table.keys().encode(key), table.values().encode(value));
  }

  public <K, V> StateBatch delete(Table<K, V> table, K key) {
    return delete(table.table(), table.keys().encode(key));
  }

  public StateBatch put(StateTable table, byte[] key, byte[] value) {
    return add((writes, families) -> writes.put(families.apply(table), key, value));
  }

  public StateBatch delete(StateTable table, byte[] key) {
    return add((writes, families) -> writes.delete(families.apply(table), key));
  }

  /** Deletes every key that starts with {@code prefix}, which is not empty. */
  public StateBatch deletePrefix(StateTable table, byte[] prefix) {
    byte[] end = Prefixes.end(prefix);
    return add((writes, families) -> writes.deleteRange(families.apply(table), prefix, end));
  }

  public int size() {
    return changes.size();
  }

  private StateBatch add(Change change) {
    changes.add(change);
    return this;
  }

  void addTo(WriteBatch writes, Function<StateTable, ColumnFamilyHandle> families)
      throws RocksDBException {
    for (Change change : changes) {
      change.addTo(writes, families);
    }
  }
}
