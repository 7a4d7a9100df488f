package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Identifiers;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.QueryView;

/**
 * The global secondary indexes that can say where the rows of a fetch are (docs/decisions/0032).
 *
 * <p><b>Claim.</b> A fetch of table T may leave out all rows but those that an index names. Each
 * row of T that matters meets conditions which give every indexed column one of some values ({@link
 * TableUse#given}, at whatever level T stands), so that its key is one of their combinations. While
 * the index is enabled each committed row that routers wrote has its entry, so the shards that the
 * entries of these keys name have all of them; what an entry says that is under way is {@code
 * exec.FetchPlaces}' affair. A key that is NULL is equal to none.
 *
 * <p>Which statements may use an index at all is the same as for {@link IndexReads}, and a strict
 * index still leads nothing but a query of its owner alone, by one value.
 */
final class FetchIndexes {
  private final PlanInput input;
  private final boolean ownerAlone;

  FetchIndexes(PlanInput input, QueryView query, ReadFacts facts) {
    this.input = input;
    this.ownerAlone =
        facts.sharded().size() == 1
            && facts.references().isEmpty()
            && facts.local().isEmpty()
            && query.with().isEmpty()
            && query.blocks().size() == 1
            && input.clauses().count("select") == 1;
  }

  /** Those for the rows of one appearance of a table; unique ones come first. */
  List<LookupRead> of(TableUse use) {
    if (use.pinned()
        || use.place().renamed()
        || input.context().fixedSnapshot()
        || input.context().replica()) {
      return List.of();
    }
    return input.database().gsisOf(use.table().name()).stream()
        .sorted(Comparator.comparing(Gsi::unique).reversed())
        .flatMap(gsi -> lookup(gsi, use).stream())
        .toList();
  }

  private Optional<LookupRead> lookup(Gsi gsi, TableUse use) {
    List<PredicateView.OneOf> keys = keys(gsi, use);
    boolean allowed =
        gsi.extended() || (ownerAlone && keys.stream().allMatch(PredicateView.OneOf::isSingle));
    if (!allowed
        || keys.size() < gsi.columns().size()
        || !input.context().state().status(gsi.name()).state().readable()) {
      return Optional.empty();
    }
    try {
      LookupIndex index = LookupIndex.resolve(input.context().state(), gsi);
      if (!input.context().state().stands().hold(index.shards())) {
        return Optional.empty();
      }
      return Optional.of(
          LookupRead.forFetch(
              index,
              input.context().state().status(gsi.name()).epoch(),
              keys.stream().map(this::operands).toList(),
              Identifiers.quote(use.alias())));
    } catch (ConcordException e) {
      return Optional.empty();
    }
  }

  /** For each indexed column that has any, in their order: one of a single value, if it can. */
  static List<PredicateView.OneOf> keys(Gsi gsi, TableUse use) {
    List<PredicateView.OneOf> keys = new ArrayList<>();
    for (String column : gsi.columns()) {
      use.given().stream()
          .filter(given -> given.column().name().equals(column))
          .min(Comparator.comparing(given -> !given.isSingle()))
          .ifPresent(keys::add);
    }
    return keys;
  }

  private List<KeyOperand> operands(PredicateView.OneOf predicate) {
    Bindings bindings = new Bindings(input);
    return predicate.constants().stream().map(bindings::lone).toList();
  }
}
