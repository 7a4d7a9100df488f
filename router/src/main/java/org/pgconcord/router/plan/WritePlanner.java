package org.pgconcord.router.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.pgconcord.config.catalog.RoutingState;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.topology.Placement;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.analyse.DeclaredTable;
import org.pgconcord.router.analyse.ReadAnalysis;
import org.pgconcord.router.analyse.ReadFacts;
import org.pgconcord.router.analyse.Relation;
import org.pgconcord.router.plan.StatementFacts.Command;
import org.pgconcord.router.sql.FromView;
import org.pgconcord.router.sql.QueryView;
import org.pgconcord.router.sql.StatementView;

/** Plans INSERT, UPDATE and DELETE by what their target is. */
final class WritePlanner {
  private final PlanInput input;

  WritePlanner(PlanInput input) {
    this.input = input;
  }

  Plan plan(StatementView view) {
    Plan plan;
    try {
      plan = direct(view);
    } catch (ConcordException e) {
      return QueryFirstPlanner.plan(input, view, e);
    }
    return plan instanceof Plan.Write write ? write.or(otherwise(view, write)) : plan;
  }

  /** Where the values do not lead to one shard. */
  private Plan otherwise(StatementView view, Plan.Write write) {
    if (!(write.otherwise() instanceof Plan.Refused refused)) {
      return write.otherwise();
    }
    try {
      return QueryFirstPlanner.plan(input, view, refused.toException());
    } catch (ConcordException e) {
      return Refusals.refused(e);
    }
  }

  private Plan direct(StatementView view) {
    FromView.Named target = view.written().orElseThrow();
    QueryView scope = view.scope();
    if (!scope.with().isEmpty()) {
      return new WithPlanner(input, view).plan();
    }
    ReadFacts facts = ReadAnalysis.of(scope, input.names());
    Refusals.forbiddenRelations(facts);
    Relation relation = input.names().find(target.name());
    if (relation instanceof Relation.Internal) {
      throw ErrorCode.SQL_SYSTEM_SCHEMA.because("a relation of schema pgconcord is written");
    } else if (relation instanceof Relation.Misplaced hidden) {
      throw Refusals.misplaced(hidden.table());
    } else if (relation instanceof Relation.Undeclared undeclared) {
      return local(view, facts, undeclared.placement());
    }
    return declared(view, facts, ((Relation.Declared) relation).table());
  }

  private Plan declared(StatementView view, ReadFacts facts, DeclaredTable table) {
    return table
        .placement()
        .match(
            new Placement.Cases<>() {
              @Override
              public Plan sharded(Placement.Sharded placement) {
                return WritePlanner.this.sharded(view, facts, table, placement);
              }

              @Override
              public Plan unsharded(Placement.Unsharded placement) {
                return local(view, facts, placement);
              }

              @Override
              public Plan reference(Placement.Reference placement) {
                return new CopyWrites(input, view, facts, table, placement)
                    .plan(command(view), kind(view));
              }

              @Override
              public Plan lookup(Placement.Lookup placement) {
                throw ErrorCode.TABLE_GSI_LOOKUP.because(
                    "%s is the lookup table of index %s".formatted(table.name(), placement.gsi()));
              }
            });
  }

  /** Everything must be where the unsharded target is. */
  private Plan local(StatementView view, ReadFacts facts, Placement placement) {
    if (!facts.sharded().isEmpty()) {
      throw view instanceof StatementView.Insert
          ? ErrorCode.WRITE_FROM_QUERY.because("the rows would come from a sharded table")
          : ErrorCode.QUERY_CROSS_SHARD.because(
              "an unsharded table is written beside sharded ones");
    }
    if (!(placement instanceof Placement.Unsharded one)) {
      throw ErrorCode.SCHEMA_NOT_READ.because("undeclared tables are spread here by a default");
    }
    ShardId shard = one.shard();
    if (facts.local().stream().anyMatch(s -> !s.equals(shard))) {
      throw ErrorCode.QUERY_CROSS_SHARD.because("the tables are on several shards");
    }
    for (DeclaredTable reference : facts.references()) {
      if (!((Placement.Reference) reference.placement()).shards().contains(shard)) {
        throw ErrorCode.QUERY_CROSS_SHARD.because(
            "reference table %s has no copy on shard %s".formatted(reference.name(), shard));
      }
    }
    new CodeRules(input).onShard(Optional.of(shard));
    StatementFacts statement =
        new StatementFacts(
            command(view),
            true,
            facts.unsharded().stream().sorted().toList(),
            List.of(),
            StaleCopies.of(input, facts.references()));
    return facts.unsharded().isEmpty()
            && shard.equals(input.authoritativeShard())
            && !one.declared()
        ? new Plan.Authoritative(statement, shard)
        : new Plan.Unsharded(statement, shard);
  }

  private Plan sharded(
      StatementView view, ReadFacts facts, DeclaredTable table, Placement.Sharded placement) {
    DeclaredTable.ShardKey key =
        table
            .shardKey()
            .orElseThrow(
                () ->
                    ErrorCode.SCHEMA_NOT_READ.because(
                        "table %s is not on the shards as declared".formatted(table.name())));
    Refusals.copiesEverywhere(facts);
    List<Gsi> gsis = input.database().gsisOf(table.name());
    StatementFacts statement =
        new StatementFacts(
            command(view),
            true,
            List.of(table.name()),
            List.of(),
            StaleCopies.of(input, facts.references()));
    if (view instanceof StatementView.Insert written) {
      StatementView.Insert insert = SelfAssignments.without(input, table, written);
      return new ShardedInserts(input, insert, facts, table, key)
          .plan(gsis, maintained(gsis), statement);
    }
    return changed(view, facts, table, key, placement, gsis, statement);
  }

  private Plan changed(
      StatementView view,
      ReadFacts facts,
      DeclaredTable table,
      DeclaredTable.ShardKey key,
      Placement.Sharded placement,
      List<Gsi> gsis,
      StatementFacts statement) {
    ChangeRules rules = new ChangeRules(input, table, key, gsis);
    Optional<EntryWork> entries;
    if (view instanceof StatementView.Update written) {
      StatementView.Update update = SelfAssignments.without(input, written);
      rules.checkUpdate(update);
      new ReferrerRules(input, table).checkUpdate(update);
      boolean changes = new IndexedUpdateRules(input, update, table, key).changesEntries(gsis);
      entries =
          changes
              ? EntryColumns.changed(
                  input, update.target(), table, maintained(gsis), update.assigned())
              : Optional.empty();
    } else {
      StatementView.Delete delete = (StatementView.Delete) view;
      rules.checkDelete(delete, maintained(gsis));
      entries = EntryColumns.work(input, delete.target().alias(), table, maintained(gsis));
    }
    if (entries.isPresent() && !returns()) {
      rules.requireRowsSeen();
    }
    boolean pinned = rules.pinned(view.scope(), facts);
    if (!pinned && (rules.alone(facts) || rules.joinsOwnShard(facts))) {
      return byIndexOrOnAll(view, facts, table, placement, entries, statement);
    }
    Plan everywhere = severalShards(table);
    if (!pinned || rules.alone(facts) || rules.joinsOwnShard(facts) || rules.readsOwnShard(facts)) {
      everywhere = onAll(view, facts, placement, entries, statement, pinned);
    }
    return pinned
        ? new Plan.Write(
            statement,
            kind(view),
            table.name(),
            binding(new Bindings(input).compared(facts), placement, facts),
            entries,
            everywhere)
        : everywhere;
  }

  private Plan byIndexOrOnAll(
      StatementView view,
      ReadFacts facts,
      DeclaredTable table,
      Placement.Sharded placement,
      Optional<EntryWork> entries,
      StatementFacts statement) {
    List<String> why = new ArrayList<>();
    Optional<LookupRead> lookup = IndexReads.ofWrite(input, view.scope(), facts).lookup(why);
    StatementFacts explained =
        new StatementFacts(
            statement.command(),
            statement.mayWrite(),
            statement.tables(),
            lookup.isPresent() ? List.of() : why,
            statement.stale());
    Plan onAll = onAll(view, facts, placement, entries, explained, lookup.isPresent());
    return lookup
        .<Plan>map(
            l ->
                new Plan.GsiWrite(
                    explained,
                    kind(view),
                    l,
                    entries.or(() -> keysFound(view, table, l)),
                    entries.isPresent(),
                    returns(),
                    onAll))
        .orElse(onAll);
  }

  /** What tells of which keys of a list rows were found. */
  private Optional<EntryWork> keysFound(StatementView view, DeclaredTable table, LookupRead read) {
    return read.isLone() || !read.index().gsi().unique()
        ? Optional.empty()
        : EntryColumns.work(
            input, view.written().orElseThrow().alias(), table, List.of(read.index().gsi()));
  }

  /** A refusal is thrown only when there is no other way. */
  private Plan onAll(
      StatementView view,
      ReadFacts facts,
      Placement.Sharded placement,
      Optional<EntryWork> entries,
      StatementFacts statement,
      boolean pinned) {
    try {
      if (!input.clauses().has("select")
          && facts.sharded().size() + facts.references().size() > 1) {
        new EachShard(input, facts).checkJoin();
      } else {
        new ScatterRules(input, facts).checkWrite();
      }
    } catch (ConcordException e) {
      if (pinned) {
        return Refusals.refused(e);
      }
      throw e;
    }
    int target = view.written().orElseThrow().token();
    Optional<ShardBinding> binding =
        facts.sharded().stream()
            .filter(use -> use.pinned() && use.place().token() == target)
            .findFirst()
            .map(
                use ->
                    new ShardBinding(
                        new Bindings(input).compared(facts, List.of(use)),
                        placement.group().shards().get(0),
                        Optional.empty()));
    return new Plan.WriteOnAll(
        statement, kind(view), placement.group(), binding, entries, returns());
  }

  static ShardBinding binding(
      List<ShardBinding.Pin> pins, Placement.Sharded placement, ReadFacts facts) {
    return new ShardBinding(pins, placement.group().shards().get(0), Bindings.required(facts));
  }

  private boolean returns() {
    return input.clauses().topLevelReturning().isPresent();
  }

  static Plan severalShards(DeclaredTable table) {
    return Refusals.refused(
        ErrorCode.WRITE_SEVERAL_SHARDS.because(
            "the values do not lead to one shard of table %s".formatted(table.name())));
  }

  private List<Gsi> maintained(List<Gsi> gsis) {
    RoutingState state = input.context().state();
    return gsis.stream().filter(g -> state.status(g.name()).state().maintained()).toList();
  }

  private static Command command(StatementView view) {
    return switch (kind(view)) {
      case INSERT -> Command.INSERT;
      case UPDATE -> Command.UPDATE;
      case DELETE -> Command.DELETE;
    };
  }

  private static Plan.WriteKind kind(StatementView view) {
    if (view instanceof StatementView.Insert) {
      return Plan.WriteKind.INSERT;
    }
    return view instanceof StatementView.Update ? Plan.WriteKind.UPDATE : Plan.WriteKind.DELETE;
  }
}
