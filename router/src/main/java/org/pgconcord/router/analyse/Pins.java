package org.pgconcord.router.analyse;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.router.analyse.Scope.Leaf;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.PredicateView;

/**
 * Which rows of sharded tables can matter.
 *
 * <p><b>Claim.</b> A statement sent to shard S alone answers as one server with all rows would, if
 * every sharded table in it, at every level, is <i>pinned</i>: only rows whose shard key has one of
 * some known values, all of which lead to S, can reach or change the result.
 *
 * <p><b>Rules.</b> Within one block a table T is pinned
 *
 * <ol>
 *   <li>by {@code T.key = constant} or {@code T.key IN (constants)} in WHERE. Each result row has
 *       such a T row, whatever the joins: a row that an outer join filled with NULLs fails the
 *       condition. T rows elsewhere could only have made rows that the condition drops;
 *   <li>by the same in ON, if the join drops T rows that do not meet it: inner joins, and for outer
 *       ones the side that is not kept;
 *   <li>by {@code T.key = U.key} in such a place, if U is pinned in this block or a block around it
 *       and both keys are of one group, index and kind of type. T rows elsewhere match only U rows
 *       elsewhere, which do not matter. If T is on the side that NULLs can fill, a U row here loses
 *       no match by their absence, as all its matches have its own key.
 * </ol>
 *
 * <p>Nothing is concluded from OR, NOT, ranges, casts of the column, other operators, or conditions
 * inside expressions: {@code router.sql} does not show them. A column is taken for a table's key
 * only when no other item could own that name ({@link Scope}).
 *
 * <p>The same search with one table pinned by assumption tells whether a block's sharded tables are
 * co-located, row by row ({@link #colocated}).
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
    PredicateView.Same same = (PredicateView.Same) fact.predicate();
    return byEquality(same.left(), same.right(), fact.restricts())
        || byEquality(same.right(), same.left(), fact.restricts());
  }

  private boolean byConstant(PredicateView.OneOf oneOf, Set<Leaf> restricts) {
    Optional<Leaf> target = unpinnedKey(oneOf.column(), restricts);
    if (target.isEmpty()) {
      return false;
    }
    DeclaredTable.ShardKey key = target.get().key().orElseThrow();
    scope.pin(target.get(), oneOf.constants().stream().map(c -> new PinnedValue(c, key)).toList());
    return true;
  }

  private boolean byEquality(ColumnView column, ColumnView other, Set<Leaf> restricts) {
    Optional<Leaf> target = unpinnedKey(column, restricts);
    Optional<Scope.Found> source = scope.find(other).filter(f -> isKey(f.leaf(), other));
    if (target.isEmpty() || source.isEmpty() || source.get().pins().isEmpty()) {
      return false;
    }
    DeclaredTable.ShardKey key = target.get().key().orElseThrow();
    if (!key.colocatedWith(source.get().leaf().key().orElseThrow())) {
      return false;
    }
    scope.pin(target.get(), source.get().pins());
    return true;
  }

  /** The leaf of this block whose shard key {@code column} is, if it is restricted and unpinned. */
  private Optional<Leaf> unpinnedKey(ColumnView column, Set<Leaf> restricts) {
    return scope
        .find(column)
        .filter(f -> f.scope() == scope)
        .map(Scope.Found::leaf)
        .filter(leaf -> restricts.contains(leaf) && isKey(leaf, column))
        .filter(leaf -> scope.pins(leaf).isEmpty());
  }

  private static boolean isKey(Leaf leaf, ColumnView column) {
    return leaf.key().filter(k -> k.column().name().equals(column.name())).isPresent();
  }

  /**
   * Whether each row of this block comes from sharded rows of one shard: some sharded table is
   * never filled with NULLs, and all others follow from it by equalities of keys.
   *
   * @param assumed any pin; it stands for "the shard of this row"
   */
  static boolean colocated(Scope scope, JoinFacts joins, PinnedValue assumed) {
    List<Leaf> sharded = sharded(scope);
    for (Leaf root : sharded) {
      if (!joins.nullable().contains(root)) {
        Scope trial = scope.copyWithoutPins();
        trial.pin(root, List.of(assumed));
        new Pins(trial, joins).findTransfersOnly();
        if (sharded.stream().noneMatch(l -> trial.pins(l).isEmpty())) {
          return true;
        }
      }
    }
    return false;
  }

  private void findTransfersOnly() {
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
