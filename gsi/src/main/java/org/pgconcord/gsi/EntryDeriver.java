package org.pgconcord.gsi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one function from rows to entries. It sees only values that PostgreSQL itself gave out
 * (RETURNING, COPY, the change stream), so that defaults, casts, padding and triggers are already
 * in them.
 */
public final class EntryDeriver {
  private final String keyColumn;
  private final String shardKeyColumn;
  private final boolean ignoreNull;

  public EntryDeriver(LookupIndex index) {
    this(index.keyColumn().name(), index.shardKeyColumn().name(), index.gsi().ignoreNull());
  }

  EntryDeriver(String keyColumn, String shardKeyColumn, boolean ignoreNull) {
    this.keyColumn = keyColumn;
    this.shardKeyColumn = shardKeyColumn;
    this.ignoreNull = ignoreNull;
  }

  /** What a row with this indexed value and this shard key means. */
  public Derivation derive(@Nullable String key, @Nullable String shardKey) {
    if (shardKey == null) {
      return new Derivation.NullViolation(shardKeyColumn);
    }
    if (key == null) {
      return ignoreNull ? new Derivation.Ignored() : new Derivation.NullViolation(keyColumn);
    }
    return new Derivation.Owns(new Entry(key, shardKey));
  }

  public Derivation derive(RowImage row) {
    return derive(row.value(keyColumn), row.value(shardKeyColumn));
  }

  /**
   * What a change of one row does to the lookup table: removal before addition, nothing when the
   * entry stays byte for byte the same. Rows that violate the index own no entry here; whoever may
   * refuse a write asks {@link #derive} first.
   *
   * @param before null for an INSERT
   * @param after null for a DELETE
   */
  public List<EntryChange> changes(@Nullable RowImage before, @Nullable RowImage after) {
    Optional<Entry> old = before == null ? Optional.empty() : derive(before).owned();
    Optional<Entry> now = after == null ? Optional.empty() : derive(after).owned();
    if (old.equals(now)) {
      return List.of();
    }
    List<EntryChange> changes = new ArrayList<>(2);
    old.map(EntryChange::remove).ifPresent(changes::add);
    now.map(EntryChange::add).ifPresent(changes::add);
    return changes;
  }
}
