package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.pgconcord.router.analyse.Scope.Leaf;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.PredicateView;

/**
 * The FROM clause of one block: its leaves, which of them an outer join can fill with NULLs, and
 * for each condition the leaves whose rows it restricts.
 */
final class JoinFacts {
  private final Function<FromView, Leaf> leafOf;
  private final List<Fact> facts = new ArrayList<>();
  private final Set<Leaf> nullable = new HashSet<>();
  private final Scope scope;

  /** {@code leafOf} registers an item with the scope. */
  JoinFacts(Scope scope, Function<FromView, Leaf> leafOf) {
    this.scope = scope;
    this.leafOf = leafOf;
  }

  /**
   * A condition and the leaves whose rows cannot matter without meeting it.
   *
   * @param restricts for an inner join both sides; for LEFT the right side only, since rows of the
   *     left are kept without a match; for FULL none
   */
  record Fact(PredicateView predicate, Set<Leaf> restricts) {}

  List<Fact> facts() {
    return facts;
  }

  /** Leaves that an outer join can fill with NULLs. */
  Set<Leaf> nullable() {
    return nullable;
  }

  void addWhere(List<PredicateView> where) {
    Set<Leaf> all = new LinkedHashSet<>(scope.leaves());
    where.forEach(p -> facts.add(new Fact(p, all)));
  }

  /** Walks one FROM item; the leaves in it. */
  Set<Leaf> add(FromView item) {
    if (!(item instanceof FromView.Joined join)) {
      return new LinkedHashSet<>(List.of(leafOf.apply(item)));
    }
    Set<Leaf> left = add(join.left());
    Set<Leaf> right = add(join.right());
    Set<Leaf> both = new LinkedHashSet<>(left);
    both.addAll(right);
    Set<Leaf> restricted =
        switch (join.kind()) {
          case INNER -> both;
          case LEFT -> right;
          case RIGHT -> left;
          case FULL -> Set.of();
        };
    if (join.kind() != FromView.Kind.INNER) {
      nullable.addAll(join.kind() == FromView.Kind.FULL ? both : restricted);
    }
    join.on().forEach(p -> facts.add(new Fact(p, restricted)));
    if (join.merged()) {
      using(join, left, right, restricted);
    }
    return both;
  }

  /**
   * USING is an equality of the two sides' columns; unqualified, the column is the left side's
   * where rows without a match on the left are dropped, and else may be of either. Nothing is
   * concluded where the left side's column could be that of several tables, nor from NATURAL.
   */
  private void using(FromView.Joined join, Set<Leaf> left, Set<Leaf> right, Set<Leaf> restricted) {
    if (join.using().isEmpty()) {
      scope.blurEverything();
    }
    boolean leftKept = join.kind() == FromView.Kind.INNER || join.kind() == FromView.Kind.LEFT;
    for (String column : join.using()) {
      Optional<Leaf> l = owner(column, left);
      Optional<Leaf> r = right.size() == 1 ? owner(column, right) : Optional.empty();
      if (l.isEmpty() || r.isEmpty() || !leftKept) {
        scope.blur(column);
      } else {
        scope.merge(column, l.get());
      }
      if (l.isPresent() && r.isPresent()) {
        ColumnView a = new ColumnView(List.of(l.get().alias()), column, -1);
        ColumnView b = new ColumnView(List.of(r.get().alias()), column, -1);
        facts.add(new Fact(new PredicateView.Same(a, b), restricted));
      }
    }
  }

  private Optional<Leaf> owner(String column, Set<Leaf> side) {
    Optional<Leaf> merged = scope.merged(column).filter(side::contains);
    if (merged.isPresent()) {
      return merged;
    }
    return side.size() == 1
        ? side.stream().filter(l -> !l.alias().isEmpty() && l.certainlyHas(column)).findFirst()
        : Optional.empty();
  }
}
