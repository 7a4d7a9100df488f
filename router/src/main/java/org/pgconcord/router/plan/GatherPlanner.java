package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.Names;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.Tokens;

/**
 * The route of a query that no shard can answer and whose answers cannot be put one after the
 * other: the rows of its sharded tables are fetched, and one shard finishes the client's own query
 * over them (docs/decisions/0021). Joins, aggregates, windows, set operations, order and collation
 * are thereby PostgreSQL's own.
 */
final class GatherPlanner {
  private static final Set<String> SYSTEM_COLUMNS =
      Set.of("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid");

  private final PlanInput input;
  private final QueryView query;
  private final ReadFacts facts;
  private final FetchIndexes indexes;

  GatherPlanner(PlanInput input, QueryView query, ReadFacts facts) {
    this.input = input;
    this.query = query;
    this.facts = facts;
    this.indexes = new FetchIndexes(input, query, facts);
  }

  /**
   * The plan.
   *
   * @throws ConcordException when the query cannot be answered so, saying why
   */
  Plan.Gather plan(StatementFacts statement) {
    refuse();
    Optional<ReducedBlock.Reduced> reduced = reduced("pgconcord");
    if (reduced.isPresent()) {
      return new Plan.Gather(
          statement, List.of(reduced.get().fetch()), reduced.get().aggregates(), finishers());
    }
    ReducedParts.Parts parts = new ReducedParts(input, query, facts, indexes).find();
    List<Fetch> fetches = new ArrayList<>();
    for (TableUse use : parts.left().sharded()) {
      fetches.add(parts.fetchOf(use).orElseGet(() -> rows(use)));
    }
    fetches = new ArrayList<>(new KeyedFetches(input, parts.left()).of(fetches));
    fetches.addAll(parts.joined());
    return new Plan.Gather(statement, fetches, parts.finish(), finishers());
  }

  private Fetch rows(TableUse use) {
    return new FetchPlanner(input, facts, use, indexes).rows();
  }

  /**
   * What is fetched for the query where that can be reduced as a whole.
   *
   * @param prefix begins the names of partial results
   */
  Optional<ReducedBlock.Reduced> reduced(String prefix) {
    Subqueries subqueries = new Subqueries(input, facts);
    return source().flatMap(s -> new ReducedBlock(input, subqueries, s, prefix).reduced());
  }

  private void refuse() {
    if (input.clauses().has("tablesample")) {
      throw ErrorCode.QUERY_NEEDS_MERGE.because("TABLESAMPLE over several shards");
    }
    String unknown = Refusals.calls(input, Kind.UNKNOWN, Kind.BUILT_IN);
    if (!unknown.isEmpty()) {
      throw ErrorCode.FUNCTION_NOT_KNOWN.because(
          "only functions known to be read-only are called over rows of several shards, not "
              + unknown);
    }
    Tokens tokens = input.tokens();
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.kind(i).isName() && SYSTEM_COLUMNS.contains(Names.of(tokens, i))) {
        throw ErrorCode.QUERY_SYSTEM_COLUMN.because(
            "system column %s over several shards".formatted(Names.of(tokens, i)));
      }
    }
  }

  /** What one block reads that can be reduced before it is fetched. */
  private Optional<Source> source() {
    boolean oneBlock =
        query.with().isEmpty()
            && query.nested().isEmpty()
            && query.blocks().size() == 1
            && input.clauses().topLevel(0, "select") == 0;
    if (!oneBlock) {
      return Optional.empty();
    }
    QueryView.Block block = query.blocks().get(0);
    boolean oneTable =
        block.nested().isEmpty()
            && block.from().size() == 1
            && block.from().get(0) instanceof FromView.Named
            && input.clauses().count("select") == 1
            && facts.sharded().size() == 1
            && !facts.sharded().get(0).place().renamed();
    if (!oneTable) {
      return JoinedTables.of(input, facts, indexes).map(joined -> joined);
    }
    FetchPlanner table = new FetchPlanner(input, facts, facts.sharded().get(0), indexes);
    return table.namesSchema() ? Optional.empty() : Optional.of(table);
  }

  /** The shards that have all else that the query reads, in the order of preference. */
  private List<ShardId> finishers() {
    if (!facts.local().isEmpty()) {
      ShardId shard = facts.local().first();
      for (DeclaredTable reference : facts.references()) {
        if (!copies(reference).contains(shard)) {
          throw ErrorCode.QUERY_CROSS_SHARD.because(
              "reference table %s has no copy on shard %s".formatted(reference.name(), shard));
        }
      }
      return List.of(shard);
    }
    Set<ShardId> shards = new LinkedHashSet<>();
    for (TableUse use : facts.sharded()) {
      ShardGroup group = ((Placement.Sharded) use.table().placement()).group();
      shards.addAll(group.shards());
    }
    for (DeclaredTable reference : facts.references()) {
      shards.addAll(copies(reference));
    }
    facts.references().forEach(reference -> shards.retainAll(copies(reference)));
    if (shards.isEmpty()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "no shard has copies of all reference tables that the statement reads");
    }
    return List.copyOf(shards);
  }

  private static List<ShardId> copies(DeclaredTable reference) {
    return ((Placement.Reference) reference.placement()).shards();
  }
}
