package org.pgconcord.gsi;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Tuple;

/**
 * The one function from rows to entries. It sees only values that PostgreSQL itself gave out
 * (RETURNING, COPY, the change stream), so that defaults, casts, padding and triggers are already
 * in them.
 */
public final class EntryDeriver {
  private final LookupIndex index;
  private final int keys;

  public EntryDeriver(LookupIndex index) {
    this.index = index;
    this.keys = index.key().size();
  }

  /**
   * What a row means. A NULL in what names the owner row is never allowed; one in any indexed
   * column makes the row a row without entry, or a violation.
   *
   * @param row its values, in the order of {@link LookupIndex#columns}
   */
  public Derivation derive(List<@Nullable String> row) {
    Optional<String> missing = firstNull(row, keys, row.size());
    if (missing.isPresent()) {
      return new Derivation.NullViolation(missing.get());
    }
    Optional<String> withoutKey = firstNull(row, 0, keys);
    if (withoutKey.isPresent()) {
      return index.gsi().ignoreNull()
          ? new Derivation.Ignored()
          : new Derivation.NullViolation(withoutKey.get());
    }
    List<String> values = new ArrayList<>(row.size());
    for (String value : row) {
      values.add(String.valueOf(value));
    }
    return new Derivation.Owns(index.entry(new Tuple(values)));
  }

  private Optional<String> firstNull(List<@Nullable String> row, int from, int to) {
    for (int column = from; column < to; column++) {
      if (row.get(column) == null) {
        return Optional.of(index.columns().get(column).name());
      }
    }
    return Optional.empty();
  }

  public Derivation derive(RowImage row) {
    List<@Nullable String> values = new ArrayList<>();
    for (IndexColumn column : index.columns()) {
      values.add(row.value(column.name()));
    }
    return derive(values);
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
