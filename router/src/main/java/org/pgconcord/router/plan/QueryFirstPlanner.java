package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.sql.Lexer;
import org.pgconcord.router.sql.StatementText;
import org.pgconcord.router.sql.StatementView;

/**
 * Plans UPDATE and DELETE that no other route takes for what a query in them reads: the query is
 * answered by itself, and the statement planned again with its rows as values
 * (docs/decisions/0034). One query after the other: the statement with the rows of one may have the
 * next planned so.
 */
final class QueryFirstPlanner {
  private static final String SOME_COLUMN = "pgconcord_column";

  private final PlanInput input;
  private final StatementView view;
  private final FoundTarget target;

  private QueryFirstPlanner(PlanInput input, StatementView view, FoundTarget target) {
    this.input = input;
    this.view = view;
    this.target = target;
  }

  /**
   * The plan.
   *
   * @param instead why there is no other; thrown when there is none of this kind either
   */
  static Plan plan(PlanInput input, StatementView view, ConcordException instead) {
    Optional<FoundTarget> target =
        couldHelp(instead) && input.clauses().has("select")
            ? target(input, view)
            : Optional.empty();
    if (target.isEmpty()) {
      throw instead;
    }
    return new QueryFirstPlanner(input, view, target.get()).plan(instead);
  }

  private static boolean couldHelp(ConcordException instead) {
    return switch (instead.code()) {
      case WRITE_NO_SHARD_KEY,
          WRITE_SEVERAL_SHARDS,
          WRITE_CTE,
          QUERY_CROSS_SHARD,
          QUERY_NEEDS_MERGE ->
          true;
      default -> false;
    };
  }

  private static Optional<FoundTarget> target(PlanInput input, StatementView view) {
    if (view instanceof StatementView.Query || view instanceof StatementView.Insert) {
      return Optional.empty();
    }
    var named = view.written().orElseThrow();
    Relation relation = input.names().find(named.name());
    if (relation instanceof Relation.Declared declared) {
      return FoundTarget.of(named.alias(), declared.table());
    }
    return relation instanceof Relation.Undeclared other
            && other.placement() instanceof Placement.Unsharded one
        ? Optional.of(FoundTarget.on(named.alias(), one.shard()))
        : Optional.empty();
  }

  private Plan plan(ConcordException instead) {
    List<Found> all =
        view.scope().with().isEmpty()
            ? Stream.concat(
                    new FoundInFrom(input, view, target).subqueries().stream(),
                    new FoundInConditions(input, view, target).all().stream())
                .toList()
            : new FoundInFrom(input, view, target).firstCte().stream().toList();
    ConcordException first = null;
    for (Found found : all) {
      try {
        return plan(found, instead);
      } catch (ConcordException e) {
        first = first == null && !e.equals(instead) ? e : first;
      }
    }
    throw first == null || instead.detail() != null
        ? instead
        : instead.withDetail("The query within it by itself: " + first.message());
  }

  private Plan plan(Found found, ConcordException instead) {
    String sql = found.query(input.text());
    StatementText text = new StatementText(sql, Lexer.scan(sql));
    Plan select = StatementPlanner.query(text, input.context());
    if (select instanceof Plan.Refused refused) {
      throw refused.toException();
    } else if (select.facts().mayWrite()) {
      throw instead;
    }
    List<ShardId> shards = new ArrayList<>(GatheredInserts.shards(select));
    shards.retainAll(target.shards());
    if (shards.isEmpty()) {
      throw instead;
    }
    int parameters =
        input.parameterUses().keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
    FoundValues row = new FoundValues(parameters, 1, false, columns(text));
    String rest = found.with(input.text(), row);
    Plan sample =
        StatementPlanner.change(new StatementText(rest, Lexer.scan(rest)), input.context());
    if (sample instanceof Plan.Refused refused) {
      throw refused.toException();
    }
    return new QueryFirst(
        facts(sample.facts(), select.facts(), instead),
        found,
        select,
        shards.get(0),
        new QueryFirst.Sample(row, sample),
        new FoundCollations(input)
            .areIn(text, FoundQuery.read(text, input), FoundCollations.compared(found, target)),
        Refusals.refused(instead),
        input.context());
  }

  private List<String> columns(StatementText query) {
    List<String> columns = new ArrayList<>();
    FoundQuery.items(FoundQuery.read(query, input))
        .forEach(item -> columns.add(item.label().isEmpty() ? SOME_COLUMN : item.label()));
    return columns.isEmpty() ? List.of(SOME_COLUMN) : columns;
  }

  private static StatementFacts facts(
      StatementFacts write, StatementFacts read, ConcordException instead) {
    List<TableName> tables =
        Stream.concat(write.tables().stream(), read.tables().stream()).distinct().toList();
    return new StatementFacts(
        write.command(), true, tables, List.of(instead.message()), write.stale());
  }
}
