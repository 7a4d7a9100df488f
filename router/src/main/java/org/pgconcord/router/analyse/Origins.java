package org.pgconcord.router.analyse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.schema.Column;
import org.pgconcord.router.analyse.Scope.Leaf;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.ConstantView;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;

/**
 * Where the columns of a query's result come from, as far as that decides on which shard a row made
 * of them belongs.
 *
 * <p><b>Claim.</b> A column that is said to be {@link Origin.KeyOf} column {@code c} of a row has,
 * in every row of the result, the value that {@code c} has in some stored row of that table;
 * several columns with one {@code row} have the values of one stored row. So a row whose shard key
 * is made of a whole key of one such row belongs on that row's shard, if both keys are co-located.
 *
 * <p>Followed are plain columns and stars through subqueries and CTEs. A side that an outer join
 * can fill with NULLs is not followed, nor anything that could have another name than it seems to
 * have: under USING and NATURAL, and where an alias renames columns, nothing is known. Grouping
 * keeps the claim: what stands plain in the list of a grouped query is the value of rows of its
 * group (the planner refuses grouping sets, which put NULL there).
 */
public final class Origins {
  private final RelationNames names;
  private int rows;

  private Origins(RelationNames names) {
    this.names = names;
  }

  /** What is known of one column's values. */
  public sealed interface Origin {
    /** Always this. */
    record Constant(ConstantView value) implements Origin {}

    /**
     * The value of the column at {@code position} of a stored row's shard key.
     *
     * @param row the same for columns of one row
     */
    record KeyOf(Object row, DeclaredTable.ShardKey key, int position) implements Origin {
      public Column column() {
        return key.columns().get(position).column();
      }
    }

    /** Nothing. */
    record Unknown() implements Origin {}
  }

  /** A column of a result; {@code name} is empty where it is not known. */
  public record Output(String name, Origin origin) {}

  /** A column of one of several results with the same rows. */
  private record Inner(Object leaf, Object row) {}

  /**
   * The columns of each arm of a query (one, if it is no set operation); empty when they cannot be
   * told.
   */
  public static Optional<List<List<Output>>> of(QueryView query, RelationNames names) {
    return new Origins(names).query(query, Map.of());
  }

  private Optional<List<List<Output>>> query(
      QueryView query, Map<String, Optional<List<Output>>> outer) {
    Map<String, Optional<List<Output>>> ctes = new HashMap<>(outer);
    for (QueryView.Cte cte : query.with()) {
      ctes.put(cte.name(), query.recursive() ? Optional.empty() : cte(cte, ctes));
    }
    if (query.blocks().isEmpty()) {
      return Optional.empty();
    }
    List<List<Output>> arms = new ArrayList<>();
    for (QueryView.Block block : query.blocks()) {
      Optional<List<Output>> arm = block(block, ctes);
      if (arm.isEmpty()) {
        return Optional.empty();
      }
      arms.add(arm.get());
    }
    return Optional.of(arms);
  }

  private Optional<List<Output>> cte(QueryView.Cte cte, Map<String, Optional<List<Output>>> ctes) {
    if (cte.renamed()) {
      return Optional.empty();
    } else if (cte.write().isEmpty()) {
      return single(cte.query(), ctes);
    } else if (cte.write().get() instanceof StatementView.Insert insert) {
      return block(
          new QueryView.Block(List.of(insert.target()), List.of(), List.of(), insert.returning()),
          ctes);
    }
    return block(cte.query().blocks().get(0), ctes);
  }

  /** Of several arms nothing is kept. */
  private Optional<List<Output>> single(QueryView query, Map<String, Optional<List<Output>>> ctes) {
    return query(query, ctes).filter(arms -> arms.size() == 1).map(arms -> arms.get(0));
  }

  private Optional<List<Output>> block(
      QueryView.Block block, Map<String, Optional<List<Output>>> ctes) {
    Map<Leaf, Optional<List<Output>>> columns = new LinkedHashMap<>();
    Scope scope = new Scope(null);
    JoinFacts joins =
        new JoinFacts(
            scope,
            item -> {
              Leaf leaf = leaf(item, scope, ctes);
              columns.put(leaf, leafColumns(item, leaf, ctes));
              return leaf;
            });
    block.from().forEach(joins::add);
    joins
        .nullable()
        .forEach(leaf -> columns.computeIfPresent(leaf, (l, c) -> c.map(Origins::blank)));
    boolean merged = block.from().stream().anyMatch(Origins::merges);
    return block.items().flatMap(items -> outputs(items, new Leaves(columns, merged)));
  }

  private static List<Output> blank(List<Output> columns) {
    return columns.stream().map(c -> new Output(c.name(), new Origin.Unknown())).toList();
  }

  private static boolean merges(FromView item) {
    return item instanceof FromView.Joined join
        && (join.merged() || merges(join.left()) || merges(join.right()));
  }

  private Leaf leaf(FromView item, Scope scope, Map<String, Optional<List<Output>>> ctes) {
    if (item instanceof FromView.Named named) {
      Relation relation = isCte(named, ctes) ? null : names.find(named.name());
      return scope.add(
          named.alias(), relation instanceof Relation.Declared declared ? declared.table() : null);
    } else if (item instanceof FromView.Derived derived) {
      return scope.add(derived.alias(), null);
    }
    return scope.add(((FromView.Computed) item).alias(), null);
  }

  private static boolean isCte(FromView.Named named, Map<String, Optional<List<Output>>> ctes) {
    return named.name().size() == 1 && ctes.containsKey(named.name().get(0));
  }

  private Optional<List<Output>> leafColumns(
      FromView item, Leaf leaf, Map<String, Optional<List<Output>>> ctes) {
    if (item instanceof FromView.Named named) {
      if (named.renamed()) {
        return Optional.empty();
      } else if (isCte(named, ctes)) {
        return ctes.getOrDefault(named.name().get(0), Optional.empty()).map(this::within);
      }
      return leaf.table() == null ? Optional.empty() : stored(leaf.table());
    } else if (item instanceof FromView.Derived derived && !derived.renamed()) {
      return single(derived.query(), ctes).map(this::within);
    }
    return Optional.empty();
  }

  /** The same result read twice gives different rows. */
  private List<Output> within(List<Output> columns) {
    Object reading = rows++;
    return columns.stream()
        .map(
            c ->
                c.origin() instanceof Origin.KeyOf of
                    ? new Output(
                        c.name(),
                        new Origin.KeyOf(new Inner(reading, of.row()), of.key(), of.position()))
                    : c)
        .toList();
  }

  /** A table's own columns, in its order. */
  private Optional<List<Output>> stored(DeclaredTable table) {
    Object row = rows++;
    return table
        .schema()
        .map(
            schema ->
                schema.columns().stream()
                    .map(c -> new Output(c.name(), origin(table, c.name(), row)))
                    .toList());
  }

  private static Origin origin(DeclaredTable table, String column, Object row) {
    return table
        .shardKey()
        .filter(key -> key.position(column) >= 0)
        .<Origin>map(key -> new Origin.KeyOf(row, key, key.position(column)))
        .orElseGet(Origin.Unknown::new);
  }

  private static Optional<List<Output>> outputs(List<ItemView> items, Leaves leaves) {
    List<Output> outputs = new ArrayList<>();
    for (ItemView item : items) {
      if (item instanceof ItemView.Star star) {
        Optional<List<Output>> all = leaves.all(star.qualifier());
        if (all.isEmpty()) {
          return Optional.empty();
        }
        outputs.addAll(all.get());
      } else if (item instanceof ItemView.Plain plain) {
        outputs.add(new Output(plain.label(), leaves.column(plain.column())));
      } else if (item instanceof ItemView.Constant constant) {
        outputs.add(new Output(constant.label(), new Origin.Constant(constant.value())));
      } else {
        outputs.add(new Output(item.label(), new Origin.Unknown()));
      }
    }
    return Optional.of(outputs);
  }

  /** The FROM items of one block with their columns. */
  private record Leaves(Map<Leaf, Optional<List<Output>>> columns, boolean merged) {
    Optional<List<Output>> all(List<String> qualifier) {
      List<Output> all = new ArrayList<>();
      boolean found = false;
      for (Map.Entry<Leaf, Optional<List<Output>>> each : columns.entrySet()) {
        if (qualifier.isEmpty() || isCalled(each.getKey(), qualifier)) {
          if (each.getValue().isEmpty() || (qualifier.isEmpty() && merged)) {
            return Optional.empty();
          }
          all.addAll(each.getValue().get());
          found = true;
        }
      }
      return found ? Optional.of(all) : Optional.empty();
    }

    Origin column(ColumnView column) {
      boolean unqualified = column.qualifier().isEmpty();
      List<Output> found = new ArrayList<>();
      for (Map.Entry<Leaf, Optional<List<Output>>> each : columns.entrySet()) {
        if (unqualified || isCalled(each.getKey(), column.qualifier())) {
          if (each.getValue().isEmpty()) {
            return new Origin.Unknown();
          }
          each.getValue().get().stream()
              .filter(c -> c.name().equals(column.name()) || c.name().isEmpty())
              .forEach(found::add);
        }
      }
      return found.size() == 1 && !(unqualified && merged)
          ? found.get(0).origin()
          : new Origin.Unknown();
    }

    private static boolean isCalled(Leaf leaf, List<String> qualifier) {
      return qualifier.size() == 1
          ? leaf.alias().equals(qualifier.get(0))
          : leaf.table() != null
              && leaf.alias().equals(qualifier.get(1))
              && leaf.table().name().schema().equals(qualifier.get(0));
    }
  }
}
