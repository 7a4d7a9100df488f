package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.Tokens;

/**
 * Plans MERGE into a sharded table where everything stays on one shard (docs/decisions/0013). What
 * it looks at and does is put as statements of the other kinds ({@link MergeText}), and each of
 * them must be pinned to that shard by itself.
 */
final class MergePlanner {
  private final PlanInput input;
  private final Function<StatementText, Plan> planner;
  private final MergeText parts;

  /**
   * @param planner plans the statements that a MERGE is made of
   */
  MergePlanner(PlanInput input, Function<StatementText, Plan> planner) {
    this.input = input;
    this.planner = planner;
    this.parts = MergeText.of(input.tokens(), input.clauses());
  }

  Plan plan() {
    DeclaredTable table = requireTarget();
    requireNoSubqueries();
    requireGiven(table);
    List<Plan> plans = new ArrayList<>();
    List<String> twins = new ArrayList<>(parts.twins(input.text()));
    twins.forEach(twin -> plans.add(pinned(planned(twin))));
    if (parts.inserts()) {
      // Rows of the source without a partner matter wherever they are.
      Plan source = planned(parts.sourceAlone(input.text()));
      if (source instanceof Plan.OneShard) {
        plans.add(source);
      } else if (!(source instanceof Plan.AnyCopy) && !(source instanceof Plan.Authoritative)) {
        throw several("the rows of the MERGE's source are not on one shard");
      }
    }
    StatementFacts first = plans.get(0).facts();
    return new Plan.Merge(
        new StatementFacts(
            StatementFacts.Command.OTHER, true, first.tables(), List.of(), first.stale()),
        parts,
        plans,
        MergeEntries.of(input, table, maintained(table)));
  }

  private List<Gsi> maintained(DeclaredTable table) {
    return input.database().gsisOf(table.name()).stream()
        .filter(gsi -> input.context().state().status(gsi.name()).state().maintained())
        .toList();
  }

  /** A shard's own sequence would give what other shards have given. */
  private void requireGiven(DeclaredTable table) {
    boolean asks =
        parts.actions().stream()
            .flatMap(action -> action.values().stream())
            .flatMapToInt(values -> IntStream.range(values.from(), values.to()))
            .anyMatch(i -> input.tokens().isWord(i, "default"));
    if (asks && !NumberRules.numbered(table).isEmpty()) {
      throw ErrorCode.WRITE_NUMBER.because(
          "the MERGE asks for DEFAULT, and %s has columns with sequences".formatted(table.name()));
    }
    parts.actions().stream()
        .flatMap(action -> action.columns().stream())
        .forEach(
            columns ->
                NumberRules.refuseUnlessGiven(
                    table,
                    IntStream.range(columns.from(), columns.to())
                        .filter(i -> input.tokens().kind(i).isName())
                        .mapToObj(i -> Names.of(input.tokens(), i))
                        .toList(),
                    "the MERGE"));
  }

  private Plan planned(String sql) {
    Plan planned = planner.apply(new StatementText(sql, Lexer.scan(sql)));
    Plan plan = planned instanceof QueryFirst first ? first.instead() : planned;
    if (plan instanceof Plan.Refused refused) {
      throw ErrorCode.SQL_MERGE
          .because("the MERGE does not stay on one shard: " + refused.message())
          .withDetail("As by: " + sql);
    }
    return plan;
  }

  private static Plan pinned(Plan plan) {
    if (plan instanceof Plan.Write) {
      return plan;
    }
    throw several("the rows that the MERGE looks at or stores are not on one shard");
  }

  private static ConcordException several(String why) {
    return ErrorCode.SQL_MERGE.because(why);
  }

  private DeclaredTable requireTarget() {
    List<String> name = new ArrayList<>();
    for (int i = parts.name().from(); i < parts.name().to(); i += 2) {
      name.add(Names.of(input.tokens(), i));
    }
    Relation relation = input.names().find(name);
    if (!(relation instanceof Relation.Declared declared)
        || !(declared.table().placement() instanceof Placement.Sharded)) {
      throw several("the target of the MERGE is no sharded table");
    }
    DeclaredTable table = declared.table();
    TableName target = table.name();
    Optional<Gsi> strict =
        input.database().gsisOf(target).stream().filter(gsi -> !gsi.extended()).findFirst();
    if (strict.isPresent()) {
      throw ErrorCode.SQL_MERGE
          .because("%s owns index %s in strict mode".formatted(target, strict.get().name()))
          .withHint("Set the index's gsi_mode to extended; else use INSERT, UPDATE and DELETE.");
    } else if (!input.database().referencesOf(target).isEmpty()) {
      throw ErrorCode.SQL_MERGE.because(
          "%s refers to index %s, and the rows of a MERGE are not checked"
              .formatted(target, input.database().referencesOf(target).get(0).gsi()));
    }
    return table;
  }

  /** In the source a query may stand; what others would read is not looked at here. */
  private void requireNoSubqueries() {
    Tokens tokens = input.tokens();
    boolean elsewhere =
        IntStream.range(0, tokens.size())
            .filter(i -> i < parts.source().from() || i >= parts.source().to())
            .anyMatch(i -> tokens.isAnyWord(i, "select", "table", "with"));
    if (elsewhere) {
      throw several("a subquery stands in the MERGE beside its source");
    }
  }
}
