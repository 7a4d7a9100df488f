package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.schema.Column;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.StatementView;

/**
 * An UPDATE of columns that belong to indexes. A strict index takes it when it changes the one
 * column of that one maintained, unique index in one row that its condition names by shard key and
 * a unique key, and returns nothing; everything else is refused, saying what stands in the way.
 * Indexes in extended mode take any: what a statement does to their entries is seen from the rows
 * before and after it.
 */
final class IndexedUpdateRules {
  private final PlanInput input;
  private final StatementView.Update update;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;

  IndexedUpdateRules(
      PlanInput input,
      StatementView.Update update,
      DeclaredTable table,
      DeclaredTable.ShardKey key) {
    this.input = input;
    this.update = update;
    this.table = table;
    this.key = key;
  }

  /**
   * Whether entries may change; refuses what is not taken.
   *
   * @param gsis all indexes of the table
   */
  boolean changesEntries(List<Gsi> gsis) {
    List<Gsi> touched = gsis.stream().filter(g -> !assigned(g).isEmpty()).toList();
    Optional<Gsi> strict = touched.stream().filter(g -> !g.extended()).findFirst();
    if (strict.isPresent()) {
      refusal(strict.get(), touched)
          .ifPresent(
              why -> {
                throw refused(strict.get(), assigned(strict.get()).iterator().next(), why);
              });
    }
    return !touched.isEmpty() || gsis.stream().anyMatch(this::hasGenerated);
  }

  /** The refusal of a strict index. */
  private static ConcordException refused(Gsi gsi, String column, String why) {
    return ErrorCode.WRITE_DECLARED_COLUMN
        .because("column \"%s\" belongs to index %s".formatted(column, gsi.name()))
        .withDetail(why);
  }

  private Set<String> assigned(Gsi gsi) {
    Set<String> stored = stored(gsi);
    stored.retainAll(update.assigned());
    return stored;
  }

  private static Set<String> stored(Gsi gsi) {
    Set<String> stored = new LinkedHashSet<>(gsi.columns());
    stored.addAll(gsi.ownerPrimaryKey());
    return stored;
  }

  /** A generated column may change with any other, which the statement's text does not say. */
  private boolean hasGenerated(Gsi gsi) {
    return stored(gsi).stream()
        .flatMap(c -> table.schema().flatMap(s -> s.column(c)).stream())
        .anyMatch(Column::generated);
  }

  private Optional<String> refusal(Gsi gsi, List<Gsi> touched) {
    if (touched.size() > 1) {
      return Optional.of("Several indexes have columns that are assigned.");
    } else if (!input.context().state().status(gsi.name()).state().maintained()) {
      return Optional.of("The index is not enabled, so its entry would not be changed.");
    } else if (!gsi.unique() || gsi.columns().size() != 1) {
      return Optional.of("The index is not a unique one of one column.");
    } else if (!gsi.columns().containsAll(update.assigned()) || update.assigned().size() != 1) {
      return Optional.of("SET assigns other columns too.");
    } else if (input.clauses().topLevelReturning().isPresent()) {
      return Optional.of("The statement has RETURNING.");
    } else if (input.clauses().has("default") || input.clauses().has("select")) {
      return Optional.of("The value is DEFAULT, or a subquery is in the statement.");
    }
    return namesOneRow()
        ? Optional.empty()
        : Optional.of(
            "The condition is not made of equalities with constants alone that name the shard key"
                + " and a unique key.");
  }

  private boolean namesOneRow() {
    Optional<Clauses.Range> where = input.clauses().topLevelWhere();
    List<PredicateView> predicates = update.scope().blocks().get(0).where();
    if (where.isEmpty() || !onlyEqualities(predicates, where.get())) {
      return false;
    }
    Set<String> named = new HashSet<>();
    predicates.forEach(p -> named.add(((PredicateView.OneOf) p).column().name()));
    return key.columns().stream().map(KeyColumn::name).allMatch(named::contains)
        && table
            .schema()
            .filter(
                s ->
                    s.uniqueKeys().stream()
                        .anyMatch(u -> u.usable() && named.containsAll(u.columns())))
            .isPresent();
  }

  /** Each AND joins two of them: nothing else is in the condition. */
  private boolean onlyEqualities(List<PredicateView> predicates, Clauses.Range where) {
    long ands =
        IntStream.range(where.from(), where.to())
            .filter(i -> input.tokens().isWord(i, "and"))
            .count();
    return predicates.size() == ands + 1
        && predicates.stream()
            .allMatch(p -> p instanceof PredicateView.OneOf oneOf && oneOf.isEquality());
  }
}
