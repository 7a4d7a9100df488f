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
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;

/**
 * Whether a statement can be led to its owner row by a global secondary index: a query of one block
 * over the owner alone, or an UPDATE or DELETE of it where the index is in extended mode, with an
 * equality on each indexed column. Unique indexes come first: they name one row.
 *
 * <p>Not in REPEATABLE READ or SERIALIZABLE: the lookup table and the owner row would be read from
 * snapshots of two servers taken at different times. An entry committed after the lookup shard's
 * snapshot is not seen there although the owner shard, first touched later, shows its row, so that
 * a row which the transaction can see elsewhere would be missing from the answer. A scatter asks
 * the owner shards alone.
 */
final class IndexReads {
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
    if (facts.sharded().size() != 1) {
      return Optional.empty();
    }
    TableUse use = facts.sharded().get(0);
    List<Gsi> gsis = new ArrayList<>(input.database().gsisOf(use.table().name()));
    gsis.sort(Comparator.comparing(Gsi::unique).reversed());
    for (Gsi gsi : gsis) {
      List<PredicateView.OneOf> predicates = equalitiesOn(gsi);
      if (predicates.size() < gsi.columns().size()) {
        why.add(
            gsi.columns().size() == 1
                ? "no equality on the column of index " + gsi.name()
                : "no equality on every column of index " + gsi.name());
        continue;
      }
      Optional<String> obstacle = obstacle(gsi);
      if (obstacle.isEmpty()) {
        return read(gsi, use, predicates, why);
      }
      why.add("index %s: %s".formatted(gsi.name(), obstacle.get()));
    }
    return Optional.empty();
  }

  /** One for each indexed column that has any, in their order. */
  private List<PredicateView.OneOf> equalitiesOn(Gsi gsi) {
    return gsi.columns().stream().map(this::equalityOn).flatMap(Optional::stream).toList();
  }

  private Optional<PredicateView.OneOf> equalityOn(String indexed) {
    if (query.blocks().size() != 1) {
      return Optional.empty();
    }
    return query.blocks().get(0).where().stream()
        .filter(p -> p instanceof PredicateView.OneOf o && o.isSingle())
        .map(p -> (PredicateView.OneOf) p)
        .filter(p -> p.column().name().equals(indexed) && isOwners(p.column()))
        .findFirst();
  }

  private boolean isOwners(ColumnView column) {
    TableUse use = facts.sharded().get(0);
    List<String> qualifier = column.qualifier();
    return qualifier.isEmpty() || qualifier.get(qualifier.size() - 1).equals(use.alias());
  }

  private Optional<String> obstacle(Gsi gsi) {
    GsiStatus status = input.context().state().status(gsi.name());
    if (!status.state().readable()) {
      return Optional.of("its state is " + status.state().word());
    } else if (write && !gsi.extended()) {
      return Optional.of("its gsi_mode is strict");
    } else if (input.context().fixedSnapshot()) {
      return Optional.of("a REPEATABLE READ or SERIALIZABLE transaction does not read indexes");
    } else if (!isPlain()) {
      return Optional.of("only a statement of one block over the owner alone reads it");
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
        && query.blocks().get(0).from().size() == 1
        && query.blocks().get(0).from().get(0) instanceof FromView.Named
        && input.clauses().count("select") == (write ? 0 : 1)
        && !input.clauses().has("union", "intersect", "except");
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
    return Optional.of(
        new LookupRead(
            index,
            input.context().state().status(gsi.name()).epoch(),
            predicates.stream().map(p -> new Bindings(input).lone(p.constants().get(0))).toList(),
            Identifiers.quote(use.alias()),
            where.get().from(),
            where.get().to(),
            new CoveringShape(input, query, use, index).columns(where.get(), why)));
  }
}
