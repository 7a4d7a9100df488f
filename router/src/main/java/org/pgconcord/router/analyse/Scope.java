package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.pgconcord.router.sql.ColumnView;

/**
 * The FROM items that column names of one block can mean, with the blocks around it, as PostgreSQL
 * resolves them: innermost first. An item whose columns are not known (a subquery, a function, an
 * undeclared table) may have any column, so that a name which it could capture resolves to nothing.
 */
final class Scope {
  private final @Nullable Scope outer;
  private final List<Leaf> leaves = new ArrayList<>();

  /** For a column of USING the leaf whose column its unqualified name means. */
  private final Map<String, Leaf> merged = new HashMap<>();

  /** Names that an outer join's USING gives a value of neither side alone. */
  private final Set<String> blurred = new HashSet<>();

  private boolean everythingBlurred;

  /** What the pins of this block's leaves are, once found. */
  private final Map<Leaf, List<List<PinnedValue>>> pins = new HashMap<>();

  Scope(@Nullable Scope outer) {
    this.outer = outer;
  }

  /**
   * A FROM item.
   *
   * @param alias empty when the item has no name, or one that is not known here
   * @param table null for anything but a declared table under its own columns' names
   * @param token where its name begins in the statement; -1 when it has none
   */
  record Leaf(int number, String alias, @Nullable DeclaredTable table, int token) {
    Optional<DeclaredTable.ShardKey> key() {
      return table == null ? Optional.empty() : table.shardKey();
    }

    private boolean mayHave(String column) {
      return table == null || table.hasColumn(column);
    }

    boolean certainlyHas(String column) {
      return table != null && table.schema().isPresent() && table.hasColumn(column);
    }

    private boolean isCalled(List<String> qualifier) {
      if (qualifier.size() == 1) {
        return alias.equals(qualifier.get(0));
      }
      return qualifier.size() == 2
          && alias.equals(qualifier.get(1))
          && table != null
          && table.name().schema().equals(qualifier.get(0))
          && table.name().name().equals(qualifier.get(1));
    }
  }

  Leaf add(String alias, @Nullable DeclaredTable table) {
    return add(alias, table, -1);
  }

  Leaf add(String alias, @Nullable DeclaredTable table, int token) {
    Leaf leaf = new Leaf(leaves.size(), alias, table, token);
    leaves.add(leaf);
    return leaf;
  }

  List<Leaf> leaves() {
    return leaves;
  }

  /** NATURAL: any unqualified name may mean a join's result. */
  void blurEverything() {
    everythingBlurred = true;
  }

  void blur(String column) {
    blurred.add(column);
  }

  /** An unqualified {@code column} means that of {@code leaf}. */
  void merge(String column, Leaf leaf) {
    merged.put(column, leaf);
  }

  Optional<Leaf> merged(String column) {
    return Optional.ofNullable(merged.get(column));
  }

  /** The FROM item that a column belongs to, and the scope that item is in. */
  Optional<Found> find(ColumnView column) {
    if (column.qualifier().isEmpty()) {
      return unqualified(column.name());
    }
    for (Leaf leaf : leaves) {
      if (leaf.isCalled(column.qualifier())) {
        return Optional.of(new Found(this, leaf));
      }
    }
    boolean hidden = leaves.stream().anyMatch(l -> l.alias().isEmpty());
    return hidden || outer == null ? Optional.empty() : outer.find(column);
  }

  private Optional<Found> unqualified(String name) {
    if (blurred.contains(name) || everythingBlurred) {
      return Optional.empty();
    }
    if (merged.containsKey(name)) {
      return Optional.of(new Found(this, merged.get(name)));
    }
    List<Leaf> certain = leaves.stream().filter(l -> l.certainlyHas(name)).toList();
    if (certain.size() == 1) {
      return Optional.of(new Found(this, certain.get(0)));
    }
    boolean possible = leaves.stream().anyMatch(l -> l.mayHave(name));
    return possible || outer == null ? Optional.empty() : outer.unqualified(name);
  }

  /** The same items and names, nothing pinned. */
  Scope copyWithoutPins() {
    return copy(outer);
  }

  /** The same, as if no block were around it. */
  Scope detached() {
    return copy(null);
  }

  private Scope copy(@Nullable Scope around) {
    Scope copy = new Scope(around);
    copy.leaves.addAll(leaves);
    copy.merged.putAll(merged);
    copy.blurred.addAll(blurred);
    copy.everythingBlurred = everythingBlurred;
    return copy;
  }

  /** A resolved column's item. */
  record Found(Scope scope, Leaf leaf) {}

  /** Pins the column at {@code position} of the leaf's shard key. */
  void pin(Leaf leaf, int position, List<PinnedValue> values) {
    List<List<PinnedValue>> columns = new ArrayList<>(pins(leaf));
    columns.set(position, values);
    pins.put(leaf, columns);
  }

  /** For each column of the leaf's shard key its values; an empty list where none are known. */
  List<List<PinnedValue>> pins(Leaf leaf) {
    int columns = leaf.key().map(k -> k.columns().size()).orElse(0);
    return pins.getOrDefault(leaf, Collections.nCopies(columns, List.of()));
  }
}
