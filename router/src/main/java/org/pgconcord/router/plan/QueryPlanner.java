package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.topology.ShardGroup;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.KnownFunctions.Kind;
import org.pgconcord.router.analyse.ReadAnalysis;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.TableUse;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.QueryView;

/** Finds the narrowest route of a query: one shard, an index, any copy, or all shards. */
final class QueryPlanner {
  private final PlanInput input;
  private final QueryView query;
  private final ReadFacts facts;
  private final List<String> why = new ArrayList<>();

  QueryPlanner(PlanInput input, QueryView query) {
    this.input = input;
    this.query = query;
    this.facts = ReadAnalysis.of(query, input.names());
  }

  Plan plan() {
    Refusals.forbiddenRelations(facts);
    if (facts.sharded().isEmpty()) {
      return withoutShardedTables();
    }
    if (!facts.references().isEmpty() && !new Locking(input).spares(facts)) {
      throw ErrorCode.QUERY_LOCKING.because(
          "FOR UPDATE or FOR SHARE beside reference table " + names(facts.references()));
    }
    Refusals.copiesEverywhere(facts);
    if (!facts.pinned()) {
      noteUnpinned();
      return wider();
    }
    ShardGroup group = group(facts.sharded().get(0));
    ShardBinding binding =
        new ShardBinding(
            new Bindings(input).compared(facts), group.shards().get(0), Bindings.required(facts));
    return new Plan.OneShard(facts(input.callsMayWrite()), binding, otherwise());
  }

  private void noteUnpinned() {
    facts.sharded().stream().filter(u -> !u.pinned()).forEach(u -> why.add(u.whyNot()));
  }

  /** What to run when the values of a pinned query turn out to lead to several shards. */
  private Plan otherwise() {
    try {
      return wider();
    } catch (ConcordException e) {
      return Refusals.refused(e);
    }
  }

  private Plan wider() {
    List<LookupRead> lookups = IndexReads.ofQuery(input, query, facts).lookups(why);
    if (lookups.isEmpty()) {
      return scatter();
    }
    StatementFacts statement = facts(false);
    LookupRead lookup = lookups.get(0);
    if (!lookup.index().gsi().unique() || !lookup.isLone()) {
      // Its entries may name many shards, so only what a scatter answers as well is led by it.
      Plan wide = scatter();
      return wide instanceof Plan.Scatter ? led(statement, lookups, wide) : wide;
    }
    Plan wide;
    try {
      wide = scatter();
    } catch (ConcordException e) {
      wide = Refusals.refused(e);
    }
    return new Plan.GsiRead(statement, lookup, wide);
  }

  /** By any of the indexes; {@link IndexChoice} takes one when the values are known. */
  private static Plan led(StatementFacts statement, List<LookupRead> lookups, Plan wide) {
    Plan plan = wide;
    for (int i = lookups.size() - 1; i >= 0; i--) {
      plan = new Plan.GsiRead(statement, lookups.get(i), plan);
    }
    return plan;
  }

  /**
   * The answers of all shards, in any order: for queries of one block without anything to merge.
   */
  private Plan scatter() {
    new DifferingShards(input).refuseTogether(facts);
    try {
      new ScatterRules(input, facts).check(why);
    } catch (ConcordException e) {
      Optional<SortKeys.Found> keys = sortKeys();
      if (keys.isPresent()) {
        return new Plan.Sorted(rows(), keys.get().keys(), keys.get().added());
      } else if (input.locks()) {
        return locked(e);
      }
      return gather(e);
    }
    return rows();
  }

  /** The first rows of an order, or of none. */
  private Plan locked(ConcordException notScattered) {
    try {
      if (RowBound.isIn(input)) {
        return new FirstLockedPlanner(input, query, facts).plan(rows(), why);
      }
    } catch (ConcordException e) {
      throw new Locking(input).notScattered(e);
    }
    throw new Locking(input).notScattered(notScattered);
  }

  /** Of a query that could be scattered but for its order. */
  private Optional<SortKeys.Found> sortKeys() {
    Optional<SortKeys.Found> keys = SortKeys.of(input, query, facts);
    try {
      if (keys.isPresent()) {
        new ScatterRules(input, facts).checkSorted();
      }
      return keys;
    } catch (ConcordException e) {
      return Optional.empty();
    }
  }

  private Plan.Scatter rows() {
    Optional<ShardBinding> binding =
        !pinned().isEmpty()
            ? Optional.of(
                new ShardBinding(
                    new Bindings(input).compared(facts, pinned()),
                    group(facts.sharded().get(0)).shards().get(0),
                    Optional.empty()))
            : Optional.empty();
    return new Plan.Scatter(facts(false), group(facts.sharded().get(0)), binding);
  }

  /** The pinned tables of which every result row has a row: it comes from that row's shard. */
  private List<TableUse> pinned() {
    Subqueries subqueries = new Subqueries(input, facts);
    return facts.sharded().stream()
        .filter(u -> u.pinned() && !u.place().nullable())
        .filter(u -> !subqueries.cover(u.place().token()))
        .toList();
  }

  /** For what cannot be concatenated. */
  private Plan gather(ConcordException notScattered) {
    why.add("not scattered: " + notScattered.message());
    return new GatherPlanner(input, query, facts).plan(facts(false));
  }

  private Plan withoutShardedTables() {
    if (facts.local().size() > 1) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "the tables are on several shards: " + joined(facts.local()));
    }
    if (!facts.local().isEmpty()) {
      return local(facts.local().first());
    }
    if (facts.references().isEmpty()) {
      new CodeRules(input).onShard(Optional.of(input.authoritativeShard()));
      return new Plan.Authoritative(facts(input.callsMayWrite()), input.authoritativeShard());
    }
    return anyCopy();
  }

  private Plan local(ShardId shard) {
    for (DeclaredTable reference : facts.references()) {
      if (!copies(reference).contains(shard)) {
        throw ErrorCode.QUERY_CROSS_SHARD.because(
            "reference table %s has no copy on shard %s".formatted(reference.name(), shard));
      }
    }
    if (!facts.references().isEmpty() && input.locks()) {
      throw ErrorCode.QUERY_LOCKING.because("rows of a reference table cannot be locked");
    }
    new CodeRules(input).onShard(Optional.of(shard));
    StatementFacts statement = facts(input.callsMayWrite());
    return facts.unsharded().isEmpty() && shard.equals(input.authoritativeShard())
        ? new Plan.Authoritative(statement, shard)
        : new Plan.Unsharded(statement, shard);
  }

  private Plan anyCopy() {
    if (input.callsMayWrite()) {
      throw ErrorCode.FUNCTION_NOT_KNOWN.because(
          "a read of reference tables alone may go to any copy; it calls "
              + Refusals.calls(input, Kind.BUILT_IN, Kind.UNKNOWN));
    }
    Set<ShardId> shards = new TreeSet<>();
    boolean first = true;
    for (DeclaredTable reference : facts.references()) {
      if (first) {
        shards.addAll(copies(reference));
      }
      shards.retainAll(new HashSet<>(copies(reference)));
      first = false;
    }
    if (shards.isEmpty()) {
      throw ErrorCode.QUERY_CROSS_SHARD.because(
          "no shard has copies of all of " + names(facts.references()));
    }
    if (input.locks()) {
      ShardId leader = leader(shards);
      return new Plan.AnyCopy(facts(false), List.of(leader));
    }
    return new Plan.AnyCopy(facts(false), List.copyOf(shards));
  }

  /**
   * Where the writers of all these tables come first, and wait for a row that is locked before they
   * have changed any copy.
   */
  private ShardId leader(Set<ShardId> common) {
    Set<ShardId> leaders = new TreeSet<>();
    facts.references().forEach(reference -> leaders.add(copies(reference).get(0)));
    if (leaders.size() > 1 || !common.containsAll(leaders)) {
      throw ErrorCode.QUERY_LOCKING.because(
          "rows of reference tables are locked on their leading copies, and those of %s are on several shards"
              .formatted(names(facts.references())));
    }
    why.add("rows of a reference table are locked on its leading copy");
    return leaders.iterator().next();
  }

  private StatementFacts facts(boolean mayWrite) {
    List<TableName> tables =
        Stream.of(
                facts.sharded().stream().map(u -> u.table().name()),
                facts.references().stream().map(DeclaredTable::name),
                facts.unsharded().stream())
            .flatMap(s -> s)
            .distinct()
            .sorted()
            .toList();
    return new StatementFacts(
        Command.SELECT,
        mayWrite,
        tables,
        why,
        StaleCopies.of(input, facts.references()),
        input.locks());
  }

  private static ShardGroup group(TableUse use) {
    return ((Placement.Sharded) use.table().placement()).group();
  }

  private static List<ShardId> copies(DeclaredTable reference) {
    return ((Placement.Reference) reference.placement()).shards();
  }

  private static String names(Set<DeclaredTable> tables) {
    return tables.stream().map(t -> t.name().toString()).sorted().collect(Collectors.joining(", "));
  }

  private static String joined(Set<ShardId> shards) {
    return shards.stream().map(ShardId::uid).collect(Collectors.joining(", "));
  }
}
