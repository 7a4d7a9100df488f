package org.pgconcord.router.plan;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KeyColumn;
import org.pgconcord.router.sql.Clauses;
import org.pgconcord.router.sql.PredicateView;
import org.pgconcord.router.sql.StatementView;

/**
 * An UPDATE of columns that belong to indexes: taken when it changes the one column of one
 * maintained, unique index in one row that its condition names by shard key and a unique key, and
 * returns nothing. Everything else is refused, saying what stands in the way (SPEC 5).
 */
final class KeyUpdateRules {
  private final PlanInput input;
  private final StatementView.Update update;
  private final DeclaredTable table;
  private final DeclaredTable.ShardKey key;

  KeyUpdateRules(
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
   * Where the old row is read from; empty when no column of an index is assigned.
   *
   * @param gsis all indexes of the table
   * @param columns the columns of maintained indexes, as a select list
   */
  Optional<OldRow> oldRow(List<Gsi> gsis, String columns) {
    List<Gsi> touched = gsis.stream().filter(this::touches).toList();
    if (touched.isEmpty()) {
      return Optional.empty();
    }
    Gsi gsi = touched.get(0);
    refusal(touched)
        .ifPresent(
            why -> {
              throw ErrorCode.WRITE_DECLARED_COLUMN
                  .because(
                      "column \"%s\" belongs to index %s"
                          .formatted(assigned(gsi).iterator().next(), gsi.name()))
                  .withDetail(why);
            });
    Clauses clauses = input.clauses();
    Clauses.Range where = clauses.topLevelWhere().orElseThrow();
    int set = clauses.topLevelSet().orElseThrow();
    return Optional.of(new OldRow(set, where.from(), where.to(), columns));
  }

  private boolean touches(Gsi gsi) {
    return !assigned(gsi).isEmpty();
  }

  private Set<String> assigned(Gsi gsi) {
    Set<String> stored = new HashSet<>(gsi.columns());
    stored.addAll(gsi.ownerPrimaryKey());
    stored.retainAll(update.assigned());
    return stored;
  }

  private Optional<String> refusal(List<Gsi> touched) {
    Gsi gsi = touched.get(0);
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
