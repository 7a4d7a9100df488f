package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.Collections;
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
  private final List<Outer> outer = new ArrayList<>();
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

  /**
   * What conditions say of a leaf's columns: each row of it that matters has one of the values, by
   * the argument that {@link Pins} has for columns of keys.
   */
  List<PredicateView.OneOf> given(Leaf leaf) {
    List<PredicateView.OneOf> given = new ArrayList<>();
    for (Fact fact : facts) {
      if (fact.predicate() instanceof PredicateView.OneOf oneOf
          && fact.restricts().contains(leaf)
          && scope
              .find(oneOf.column())
              .filter(found -> found.scope() == scope && found.leaf().equals(leaf))
              .isPresent()) {
        given.add(oneOf);
      }
    }
    return given;
  }

  /** Leaves that an outer join can fill with NULLs. */
  Set<Leaf> nullable() {
    return nullable;
  }

  /**
   * An outer join whose conditions are the facts from one number up to another.
   *
   * @param keepsLeft rows of the left side need no match; {@code keepsRight} in turn
   */
  private record Outer(
      Set<Leaf> left, Set<Leaf> right, boolean keepsLeft, boolean keepsRight, int from, int to) {}

  /**
   * After the FROM items. A condition of WHERE fails on NULL, so a join loses the rows for which it
   * filled with NULLs the side that the condition is about: for what matters it keeps the rows
   * without a match of one side less.
   */
  void addWhere(List<PredicateView> where) {
    Set<Leaf> strict = new HashSet<>();
    where.forEach(p -> strict.addAll(leaves(p)));
    outer.forEach(join -> restrictMore(join, strict));
    Set<Leaf> all = new LinkedHashSet<>(scope.leaves());
    where.forEach(p -> facts.add(new Fact(p, all)));
  }

  private Set<Leaf> leaves(PredicateView predicate) {
    Set<Leaf> found = new HashSet<>();
    predicate
        .columns()
        .forEach(
            column ->
                scope
                    .find(column)
                    .filter(place -> place.scope() == scope)
                    .ifPresent(place -> found.add(place.leaf())));
    return found;
  }

  private void restrictMore(Outer join, Set<Leaf> strict) {
    Set<Leaf> restricted = new LinkedHashSet<>();
    if (!join.keepsLeft() || !Collections.disjoint(join.right(), strict)) {
      restricted.addAll(join.left());
    }
    if (!join.keepsRight() || !Collections.disjoint(join.left(), strict)) {
      restricted.addAll(join.right());
    }
    for (int i = join.from(); i < join.to(); i++) {
      facts.set(i, new Fact(facts.get(i).predicate(), restricted));
    }
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
    int from = facts.size();
    join.on().forEach(p -> facts.add(new Fact(p, restricted)));
    if (join.merged()) {
      using(join, left, right, restricted);
    }
    if (join.kind() != FromView.Kind.INNER) {
      boolean keepsLeft = join.kind() != FromView.Kind.RIGHT;
      boolean keepsRight = join.kind() != FromView.Kind.LEFT;
      outer.add(new Outer(left, right, keepsLeft, keepsRight, from, facts.size()));
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
