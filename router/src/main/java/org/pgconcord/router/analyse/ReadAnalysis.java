package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.Scope.Leaf;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;

/** Walks a query with all its subqueries and collects {@link ReadFacts}. */
public final class ReadAnalysis {
  /** No name can be this one: a subquery without an alias cannot be referred to. */
  private static final String UNNAMED = "\0";

  private final RelationNames names;
  private final List<TableUse> sharded = new ArrayList<>();
  private final Set<DeclaredTable> references = new HashSet<>();
  private final List<TablePlace> copies = new ArrayList<>();
  private final Set<TableName> unsharded = new HashSet<>();
  private final NavigableSet<ShardId> local = new TreeSet<>();
  private final Set<TableName> lookups = new HashSet<>();
  private final Set<TableName> misplaced = new HashSet<>();
  private final Set<TableName> unusable = new HashSet<>();
  private boolean undeclared;
  private boolean system;
  private int blocks;
  private Set<Integer> anchors = Set.of();
  private Set<Integer> roots = Set.of();
  private boolean byShard = true;
  private final Map<Integer, Set<Integer>> follows = new HashMap<>();
  private final Set<Integer> free = new HashSet<>();

  /** An outer block's keys are taken as known, and no constant pins anything. */
  private final boolean assuming;

  private ReadAnalysis(RelationNames names, boolean assuming) {
    this.names = names;
    this.assuming = assuming;
  }

  public static ReadFacts of(QueryView query, RelationNames names) {
    ReadAnalysis analysis = new ReadAnalysis(names, false);
    analysis.query(query, null, Set.of(), true);
    boolean plain = analysis.blocks == 1 && query.with().isEmpty() && query.nested().isEmpty();
    return new ReadFacts(
        analysis.sharded,
        plain && !analysis.anchors.isEmpty(),
        query.blocks().size() == 1
            && query.with().isEmpty()
            && query.nested().isEmpty()
            && analysis.byShard,
        plain ? analysis.anchors : Set.of(),
        analysis.roots,
        analysis.follows,
        analysis.free,
        analysis.references,
        analysis.copies,
        analysis.unsharded,
        analysis.local,
        analysis.undeclared,
        analysis.lookups,
        analysis.system,
        analysis.misplaced,
        analysis.unusable);
  }

  /**
   * A CTE hides tables of its name: in those after it, with RECURSIVE in all, and in the body.
   *
   * @param alone no block around can be seen
   */
  private void query(QueryView query, @Nullable Scope outer, Set<String> ctes, boolean alone) {
    Set<String> visible = new HashSet<>(ctes);
    if (query.recursive()) {
      query.with().forEach(c -> visible.add(c.name()));
    }
    for (QueryView.Cte cte : query.with()) {
      query(cte.query(), outer, visible, alone);
      visible.add(cte.name());
    }
    query.blocks().forEach(b -> block(b, outer, visible, alone));
    query.nested().forEach(n -> query(n, outer, visible, false));
  }

  private void block(
      QueryView.Block block, @Nullable Scope outer, Set<String> ctes, boolean alone) {
    int number = blocks++;
    if (alone) {
      free.add(number);
    }
    Scope scope = new Scope(outer);
    JoinFacts joins = new JoinFacts(scope, item -> leaf(item, scope, ctes, number));
    block.from().forEach(joins::add);
    joins.addWhere(block.where());
    Pins pins = new Pins(scope, joins);
    if (assuming) {
      pins.findTransfersOnly();
    } else {
      pins.find();
    }
    for (Leaf leaf : scope.leaves()) {
      if (leaf.table() != null) {
        boolean nullable = joins.nullable().contains(leaf);
        use(leaf.table(), leaf, scope, nullable, number, joins.given(leaf));
      }
    }
    anchors = block.nested().isEmpty() ? anchors(scope, joins, List.of(), ctes) : Set.of();
    if (outer == null) {
      roots = anchors(scope, joins, block.nested(), ctes);
      byShard &= !roots.isEmpty();
    }
    if (!assuming) {
      Pins.sharded(scope).forEach(leaf -> follow(leaf, scope, joins, block.nested(), ctes));
    }
    block.from().forEach(item -> derived(item, scope, outer, ctes, alone));
    boolean nothing = block.from().isEmpty();
    block.nested().forEach(n -> query(n, scope, ctes, alone && nothing));
  }

  /** Subqueries and functions in FROM take part in no row-by-row argument. */
  private Set<Integer> anchors(
      Scope scope, JoinFacts joins, List<QueryView> nested, Set<String> ctes) {
    List<Leaf> sharded = Pins.sharded(scope);
    if (sharded.isEmpty()
        || sharded.stream().anyMatch(l -> l.key().isEmpty())
        || scope.leaves().stream().anyMatch(l -> l.table() == null)) {
      return Set.of();
    }
    return Pins.anchors(scope, joins, assumed -> staysOnShard(nested, assumed, ctes)).stream()
        .map(Leaf::token)
        .collect(Collectors.toSet());
  }

  /**
   * What is on the shard of a row of {@code root}; what pins blocks around this one says nothing.
   */
  private void follow(
      Leaf root, Scope scope, JoinFacts joins, List<QueryView> nested, Set<String> ctes) {
    Optional<Scope> assumed = Pins.assumed(root, scope, joins);
    if (assumed.isEmpty()) {
      return;
    }
    ReadAnalysis inner = new ReadAnalysis(names, true);
    nested.forEach(query -> inner.query(query, assumed.get(), ctes, false));
    Set<Integer> tokens =
        Pins.sharded(scope).stream()
            .filter(leaf -> !assumed.get().pins(leaf).contains(List.of()))
            .map(Leaf::token)
            .collect(Collectors.toSet());
    inner.sharded.stream()
        .filter(use -> use.unpinned().isEmpty())
        .forEach(use -> tokens.add(use.place().token()));
    follows.put(root.token(), tokens);
  }

  /** Whether the sharded rows that matter to subqueries have the keys that the outer row has. */
  private boolean staysOnShard(List<QueryView> nested, Scope outer, Set<String> ctes) {
    ReadAnalysis inner = new ReadAnalysis(names, true);
    nested.forEach(query -> inner.query(query, outer, ctes, false));
    return inner.sharded.stream().allMatch(use -> use.unpinned().isEmpty())
        && inner.unusable.isEmpty();
  }

  private Leaf leaf(FromView item, Scope scope, Set<String> ctes, int block) {
    if (item instanceof FromView.Named named) {
      return named(named, scope, ctes, block);
    } else if (item instanceof FromView.Derived derived) {
      return scope.add(derived.alias().isEmpty() ? UNNAMED : derived.alias(), null, -1);
    }
    return scope.add(((FromView.Computed) item).alias(), null, -1);
  }

  private Leaf named(FromView.Named named, Scope scope, Set<String> ctes, int block) {
    boolean cte = named.name().size() == 1 && ctes.contains(named.name().get(0));
    Relation relation = cte ? null : names.find(named.name());
    DeclaredTable table = null;
    if (relation instanceof Relation.Declared declared) {
      table = declared.table();
    } else if (relation instanceof Relation.Undeclared other) {
      undeclared(other.placement());
    } else if (relation instanceof Relation.Misplaced hidden) {
      misplaced.add(hidden.table());
    } else if (relation instanceof Relation.Internal) {
      system = true;
    }
    if (table != null && named.renamed()) {
      // Columns go by other names here: the table counts, its key cannot be recognised.
      use(table, new Leaf(-1, named.alias(), table, named.token()), scope, true, block, List.of());
      table = null;
    }
    return scope.add(named.alias(), table, named.token());
  }

  private void undeclared(Placement placement) {
    undeclared = true;
    if (placement instanceof Placement.Unsharded one) {
      local.add(one.shard());
    } else {
      // A default spreads undeclared tables, but nothing is known of their keys.
      unusable.add(new TableName("(default)", "undeclared"));
    }
  }

  private void use(
      DeclaredTable table,
      Leaf leaf,
      Scope scope,
      boolean nullable,
      int block,
      List<PredicateView.OneOf> given) {
    Placement placement = table.placement();
    TableUse.Place place = new TableUse.Place(leaf.token(), leaf.number() < 0, nullable, block);
    if (placement instanceof Placement.Reference) {
      references.add(table);
      copies.add(new TablePlace(table, leaf.alias(), place));
    } else if (placement instanceof Placement.Lookup) {
      lookups.add(table.name());
    } else if (placement instanceof Placement.Unsharded one) {
      unsharded.add(table.name());
      local.add(one.shard());
    } else if (table.shardKey().isEmpty()) {
      unusable.add(table.name());
    } else {
      sharded.add(
          new TableUse(
              table, leaf.alias(), table.shardKey().orElseThrow(), scope.pins(leaf), given, place));
    }
  }

  /** Only a LATERAL subquery sees its neighbours; others see what is around the block. */
  private void derived(
      FromView item, Scope scope, @Nullable Scope outer, Set<String> ctes, boolean alone) {
    if (item instanceof FromView.Joined join) {
      derived(join.left(), scope, outer, ctes, alone);
      derived(join.right(), scope, outer, ctes, alone);
    } else if (item instanceof FromView.Derived derived) {
      boolean lateral = derived.lateral();
      query(derived.query(), lateral ? scope : outer, ctes, alone && !lateral);
    }
  }
}
