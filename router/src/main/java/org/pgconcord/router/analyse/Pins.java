package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.pgconcord.config.topology.ShardIndexType;
import org.pgconcord.router.analyse.Scope.Leaf;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.PredicateView;

/**
 * Which rows of sharded tables can matter.
 *
 * <p><b>Claim.</b> A statement sent to shard S alone answers as one server with all rows would, if
 * every sharded table in it, at every level, is <i>pinned</i>: only rows whose shard key has one of
 * some known values, all of which lead to S, can reach or change the result.
 *
 * <p><b>Rules.</b> A table is pinned when each column of its shard key is: a row that matters meets
 * all of the conditions, so its key is one of the combinations of the columns' values. Within one
 * block a column of T's key, {@code T.key} here, is pinned
 *
 * <ol>
 *   <li>by {@code T.key = constant} or {@code T.key IN (constants)} in WHERE. Each result row has
 *       such a T row, whatever the joins: a row that an outer join filled with NULLs fails the
 *       condition. T rows elsewhere could only have made rows that the condition drops;
 *   <li>by the same in ON, if the join drops T rows that do not meet it: inner joins, and for outer
 *       ones the side that is not kept, or that WHERE does not keep ({@link JoinFacts});
 *   <li>by {@code T.key = U.key} in such a place, if that column of U is pinned in this block or a
 *       block around it, both keys are of one group, index and kinds of types, and the two columns
 *       have one place in them. T rows elsewhere match only U rows elsewhere, which do not matter.
 *       If T is on the side that NULLs can fill, a U row here loses no match by their absence, as
 *       all its matches have its own key;
 *   <li>by {@code <}, {@code <=}, {@code >}, {@code >=} and BETWEEN with constants in such places,
 *       where the index is a {@code range}: all bounds of one column together. They are looked at
 *       last, since a column that has known values needs no bounds.
 * </ol>
 *
 * <p>Of OR {@code router.sql} shows only what it says of one column, as IN. Nothing is concluded
 * from NOT, casts of the column, other operators, or conditions inside expressions: they are not
 * shown. A column is taken for a table's key only when no other item could own that name ({@link
 * Scope}).
 *
 * <p>The same search with one table pinned by assumption tells whether a block's sharded tables are
 * co-located, row by row ({@link #anchors}).
 */
final class Pins {
  private final Scope scope;
  private final JoinFacts joins;

  Pins(Scope scope, JoinFacts joins) {
    this.scope = scope;
    this.joins = joins;
  }

  /** Pins all that can be pinned. */
  void find() {
    settle();
    bounds().forEach((leaf, bounds) -> scope.pin(leaf, 0, List.of(span(leaf, bounds))));
    settle();
  }

  private static PinnedValue span(Leaf leaf, List<ConstantView.Bound> bounds) {
    return new PinnedValue(
        new ConstantView.Span(bounds), leaf.key().orElseThrow().columns().get(0));
  }

  /** The bounds of keys that are still unpinned; a {@code range} is over one column. */
  private Map<Leaf, List<ConstantView.Bound>> bounds() {
    Map<Leaf, List<ConstantView.Bound>> found = new LinkedHashMap<>();
    for (JoinFacts.Fact fact : joins.facts()) {
      if (fact.predicate() instanceof PredicateView.Within within) {
        unpinned(within.column(), fact.restricts())
            .filter(place -> place.key().placement().index().type() == ShardIndexType.RANGE)
            .ifPresent(
                place ->
                    found
                        .computeIfAbsent(place.leaf(), leaf -> new ArrayList<>())
                        .addAll(within.bounds()));
      }
    }
    return found;
  }

  private void settle() {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (JoinFacts.Fact fact : joins.facts()) {
        progress |= apply(fact);
      }
    }
  }

  private boolean apply(JoinFacts.Fact fact) {
    if (fact.predicate() instanceof PredicateView.OneOf oneOf) {
      return byConstant(oneOf, fact.restricts());
    }
    return fact.predicate() instanceof PredicateView.Same same
        && (byEquality(same.left(), same.right(), fact.restricts())
            || byEquality(same.right(), same.left(), fact.restricts()));
  }

  private boolean byConstant(PredicateView.OneOf oneOf, Set<Leaf> restricts) {
    Optional<KeyPlace> target = unpinned(oneOf.column(), restricts);
    if (target.isEmpty()) {
      return false;
    }
    KeyColumn column = target.get().column();
    target.get().pin(oneOf.constants().stream().map(c -> new PinnedValue(c, column)).toList());
    return true;
  }

  private boolean byEquality(ColumnView column, ColumnView other, Set<Leaf> restricts) {
    Optional<KeyPlace> target = unpinned(column, restricts);
    Optional<KeyPlace> source = keyPlace(other);
    if (target.isEmpty()
        || source.isEmpty()
        || target.get().position() != source.get().position()
        || source.get().values().isEmpty()
        || !target.get().key().colocatedWith(source.get().key())) {
      return false;
    }
    target.get().pin(source.get().values());
    return true;
  }

  /** A column of a leaf's shard key. */
  private record KeyPlace(Scope scope, Leaf leaf, DeclaredTable.ShardKey key, int position) {
    KeyColumn column() {
      return key.columns().get(position);
    }

    List<PinnedValue> values() {
      return scope.pins(leaf).get(position);
    }

    void pin(List<PinnedValue> values) {
      scope.pin(leaf, position, values);
    }
  }

  private Optional<KeyPlace> keyPlace(ColumnView column) {
    return scope
        .find(column)
        .flatMap(
            found ->
                found
                    .leaf()
                    .key()
                    .filter(key -> key.position(column.name()) >= 0)
                    .map(
                        key ->
                            new KeyPlace(
                                found.scope(), found.leaf(), key, key.position(column.name()))));
  }

  /** The place of this block that {@code column} is, if it is restricted and not pinned yet. */
  private Optional<KeyPlace> unpinned(ColumnView column, Set<Leaf> restricts) {
    return keyPlace(column)
        .filter(place -> place.scope() == scope)
        .filter(place -> restricts.contains(place.leaf()) && place.values().isEmpty());
  }

  /**
   * The sharded tables from whose row all other sharded rows follow by equalities of all columns of
   * keys, and which are never filled with NULLs. With any of them each row of this block comes from
   * sharded rows of one shard.
   *
   * @param within what has to hold besides, for a block whose keys are taken as known
   */
  static List<Leaf> anchors(Scope scope, JoinFacts joins, Predicate<Scope> within) {
    return sharded(scope).stream()
        .filter(root -> !joins.nullable().contains(root) && decides(root, scope, joins, within))
        .toList();
  }

  private static boolean decides(Leaf root, Scope scope, JoinFacts joins, Predicate<Scope> within) {
    Scope trial = assume(root, scope.copyWithoutPins(), joins);
    return sharded(scope).stream().noneMatch(l -> trial.pins(l).contains(List.of()))
        && within.test(trial);
  }

  /**
   * The block by itself with the key of one of its tables taken as known, and all keys that follow
   * from it; empty for a table without a usable key.
   */
  static Optional<Scope> assumed(Leaf root, Scope scope, JoinFacts joins) {
    return root.key().isEmpty()
        ? Optional.empty()
        : Optional.of(assume(root, scope.detached(), joins));
  }

  private static Scope assume(Leaf root, Scope trial, JoinFacts joins) {
    List<KeyColumn> columns = root.key().orElseThrow().columns();
    for (int i = 0; i < columns.size(); i++) {
      trial.pin(root, i, List.of(ofThisRow(columns.get(i))));
    }
    new Pins(trial, joins).findTransfersOnly();
    return trial;
  }

  /** Stands for the value that a column has in the row that is looked at. */
  private static PinnedValue ofThisRow(KeyColumn column) {
    return new PinnedValue(new ConstantView.Null(), column);
  }

  /** Pins by equalities of columns alone. */
  void findTransfersOnly() {
    boolean progress = true;
    while (progress) {
      progress = false;
      for (JoinFacts.Fact fact : joins.facts()) {
        if (fact.predicate() instanceof PredicateView.Same) {
          progress |= apply(fact);
        }
      }
    }
  }

  static List<Leaf> sharded(Scope scope) {
    return scope.leaves().stream().filter(l -> l.table() != null && l.table().sharded()).toList();
  }
}
