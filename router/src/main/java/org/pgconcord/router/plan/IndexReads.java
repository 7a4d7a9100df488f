package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.catalog.RoutingState.GsiStatus;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.ColumnView;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.ItemView;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;

/**
 * Whether a statement can be led to its owner row by a global secondary index: a query of one block
 * over the owner alone, or an UPDATE or DELETE of it where the index is in extended mode, with an
 * equality on each indexed column. Unique indexes come first: they name one row.
 *
 * <p>In extended mode either may also give a column several values, by IN or an array, and join the
 * owner with tables whose rows follow its row: then all rows that matter are on the shards of the
 * owner rows.
 *
 * <p>Not in REPEATABLE READ or SERIALIZABLE: the lookup table and the owner row would be read from
 * snapshots of two servers taken at different times. An entry committed after the lookup shard's
 * snapshot is not seen there although the owner shard, first touched later, shows its row, so that
 * a row which the transaction can see elsewhere would be missing from the answer. A scatter asks
 * the owner shards alone.
 *
 * <p>Nor on replicas, for the same reason: each is at a moment of its own (decision 0025).
 */
final class IndexReads {
  private static final String NOT_PLAIN =
      "only a statement of one block over the owner alone reads it";

  private static final String NOT_COMPARED =
      "a shard has another server, with which it has not been compared yet";

  private final PlanInput input;
  private final QueryView query;
  private final ReadFacts facts;
  private final boolean write;

  private IndexReads(PlanInput input, QueryView query, ReadFacts facts, boolean write) {
    this.input = input;
    this.query = query;
    this.facts = facts;
    this.write = write;
  }

  static IndexReads ofQuery(PlanInput input, QueryView query, ReadFacts facts) {
    return new IndexReads(input, query, facts, false);
  }

  /**
   * Of an UPDATE or DELETE.
   *
   * @param scope its target with its condition
   */
  static IndexReads ofWrite(PlanInput input, QueryView scope, ReadFacts facts) {
    return new IndexReads(input, scope, facts, true);
  }

  /** The lookup to make; without one, {@code why} says what stands against it. */
  Optional<LookupRead> lookup(List<String> why) {
    return lookups(why).stream().findFirst();
  }

  /** All that could be made, of one appearance of an owner; the first is the one without doubt. */
  List<LookupRead> lookups(List<String> why) {
    for (TableUse use : facts.sharded()) {
      if (write && facts.sharded().size() > 1 && !isTarget(use)) {
        continue;
      }
      List<LookupRead> found = lookups(use, why);
      if (!found.isEmpty()) {
        return found;
      }
    }
    return List.of();
  }

  private boolean isTarget(TableUse use) {
    return query.blocks().get(0).from().get(0) instanceof FromView.Named target
        && target.token() == use.place().token();
  }

  private List<LookupRead> lookups(TableUse use, List<String> why) {
    List<Gsi> gsis = new ArrayList<>(input.database().gsisOf(use.table().name()));
    gsis.sort(Comparator.comparing(Gsi::unique).reversed());
    List<LookupRead> found = new ArrayList<>();
    for (Gsi gsi : gsis) {
      // What stands against others is of no interest once there is one.
      List<String> against = found.isEmpty() ? why : new ArrayList<>();
      List<PredicateView.OneOf> predicates = keysOf(gsi, use);
      if (predicates.size() < gsi.columns().size()) {
        boolean elsewhere = FetchIndexes.keys(gsi, use).size() == gsi.columns().size();
        against.add(
            elsewhere
                ? "index %s: %s".formatted(gsi.name(), NOT_PLAIN)
                : gsi.columns().size() == 1
                    ? "no equality on the column of index " + gsi.name()
                    : "no equality on every column of index " + gsi.name());
        continue;
      }
      Optional<String> obstacle = obstacle(gsi, use, predicates);
      if (obstacle.isEmpty()) {
        read(gsi, use, predicates, against).ifPresent(found::add);
      } else {
        against.add("index %s: %s".formatted(gsi.name(), obstacle.get()));
      }
    }
    return found;
  }

  /** One for each indexed column that has any, in their order: one of a single value, if it can. */
  private List<PredicateView.OneOf> keysOf(Gsi gsi, TableUse use) {
    return gsi.columns().stream()
        .map(column -> keysOn(column, use))
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<PredicateView.OneOf> keysOn(String indexed, TableUse use) {
    if (query.blocks().size() != 1) {
      return Optional.empty();
    }
    return query.blocks().get(0).where().stream()
        .filter(p -> p instanceof PredicateView.OneOf)
        .map(p -> (PredicateView.OneOf) p)
        .filter(p -> p.column().name().equals(indexed) && belongs(p.column(), use))
        .min(Comparator.comparing(p -> !p.isSingle()));
  }

  /** A name without a table is the owner's when no other table has such a column. */
  private boolean belongs(ColumnView column, TableUse use) {
    List<String> qualifier = column.qualifier();
    boolean alone = facts.sharded().size() == 1 && facts.references().isEmpty();
    if (qualifier.isEmpty()) {
      return alone
          || (facts.references().stream().noneMatch(t -> t.hasColumn(column.name()))
              && facts.sharded().stream()
                  .filter(other -> !other.equals(use))
                  .noneMatch(other -> other.table().hasColumn(column.name())));
    }
    return qualifier.get(qualifier.size() - 1).equals(use.alias())
        && (alone || qualifier.size() == 1);
  }

  private Optional<String> obstacle(Gsi gsi, TableUse use, List<PredicateView.OneOf> predicates) {
    GsiStatus status = input.context().state().status(gsi.name());
    if (!status.state().readable()) {
      return Optional.of("its state is " + status.state().word());
    } else if (write && !gsi.extended()) {
      return Optional.of("its gsi_mode is strict");
    } else if (use.place().renamed()) {
      return Optional.of("the owner's columns have other names in the statement");
    } else if (input.context().fixedSnapshot()) {
      return Optional.of("a REPEATABLE READ or SERIALIZABLE transaction does not read indexes");
    } else if (input.context().replica()) {
      return Optional.of("on replicas entries and rows would be of different ages");
    } else if (!isPlain()) {
      return Optional.of(NOT_PLAIN);
    } else if (!gsi.extended() && !predicates.stream().allMatch(PredicateView.OneOf::isSingle)) {
      return Optional.of("its gsi_mode is strict, which takes no lists");
    } else if (!write
        && gsi.unique()
        && !predicates.stream().allMatch(PredicateView.OneOf::isSingle)
        && !countsRows()) {
      return Optional.of("it takes lists only for columns of the owner alone");
    } else if (joins() && !gsi.extended()) {
      return Optional.of(NOT_PLAIN);
    } else if (!facts.local().isEmpty()) {
      return Optional.of("tables of one shard are read too, and its owner's rows are on others");
    } else if (joins() && !facts.anchors().contains(use.place().token())) {
      return Optional.of("rows of other tables are not joined with its owner by the shard key");
    } else if (gsi.unique() && !write && groupsNothing()) {
      return Optional.of("an empty grouping set has a row whether its owner's row is there or not");
    } else if (input.callsMayWrite()) {
      return Optional.of(
          "the statement may have to run twice and calls "
              + Refusals.calls(input, Kind.BUILT_IN, Kind.UNKNOWN));
    }
    return Optional.empty();
  }

  private boolean isPlain() {
    return query.with().isEmpty()
        && query.nested().isEmpty()
        && query.blocks().size() == 1
        && query.blocks().get(0).nested().isEmpty()
        && query.blocks().get(0).from().stream().allMatch(IndexReads::isTable)
        && input.clauses().count("select") == (write ? 0 : 1)
        && !input.clauses().has("union", "intersect", "except");
  }

  private static boolean isTable(FromView item) {
    return item instanceof FromView.Joined join
        ? isTable(join.left()) && isTable(join.right())
        : item instanceof FromView.Named;
  }

  /** Other tables are read too. */
  private boolean joins() {
    return !(query.blocks().get(0).from().size() == 1
        && query.blocks().get(0).from().get(0) instanceof FromView.Named);
  }

  /** Each row of the owner makes one row of the answer, so that a missing one is noticed. */
  private boolean countsRows() {
    return !joins()
        && query
            .blocks()
            .get(0)
            .items()
            .filter(items -> items.stream().noneMatch(item -> item instanceof ItemView.Other))
            .isPresent();
  }

  /** There is an answer although no row meets the condition: {@code count(*)} says 0. */
  private boolean aggregate() {
    return (input.calls(Kind.AGGREGATE) || input.clauses().has("having"))
        && !input.clauses().has("group");
  }

  /** The same, but there may be any number of other rows beside that one. */
  private boolean groupsNothing() {
    return input.clauses().has("group")
        && input.clauses().has("rollup", "cube", "sets", "grouping");
  }

  private Optional<LookupRead> read(
      Gsi gsi, TableUse use, List<PredicateView.OneOf> predicates, List<String> why) {
    Optional<Clauses.Range> where = input.clauses().topLevelWhere();
    if (where.isEmpty()) {
      why.add("index %s: the WHERE clause is in parentheses".formatted(gsi.name()));
      return Optional.empty();
    }
    LookupIndex index;
    try {
      index = LookupIndex.resolve(input.context().state(), gsi);
    } catch (ConcordException e) {
      why.add("index %s: %s".formatted(gsi.name(), e.message()));
      return Optional.empty();
    }
    if (!input.context().state().stands().hold(index.shards())) {
      why.add("index %s: %s".formatted(gsi.name(), NOT_COMPARED));
      return Optional.empty();
    }
    return Optional.of(
        new LookupRead(
            index,
            input.context().state().status(gsi.name()).epoch(),
            predicates.stream().map(this::operands).toList(),
            gsi.unique() && !write && aggregate(),
            Identifiers.quote(use.alias()),
            where.get().from(),
            where.get().to(),
            joins()
                ? Optional.empty()
                : new CoveringShape(input, query, use, index).columns(where.get(), why)));
  }

  private List<KeyOperand> operands(PredicateView.OneOf predicate) {
    Bindings bindings = new Bindings(input);
    return predicate.constants().stream().map(bindings::lone).toList();
  }
}
