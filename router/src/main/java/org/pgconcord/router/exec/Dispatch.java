package org.pgconcord.router.exec;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.plan.CopyInto;
import org.pgconcord.router.plan.FirstLocked;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.QueryFirst;
import org.pgconcord.router.plan.Resolution;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.plan.SessionCommand;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.sql.StatementText;

/** Binds a plan's values and hands the statement to the class that runs its kind. */
final class Dispatch implements Plan.Cases<Void> {
  private final Execution execution;
  private final SessionCommands commands;

  Dispatch(Execution execution, SessionCommands commands) {
    this.execution = execution;
    this.commands = commands;
  }

  @Override
  public Void oneShard(Plan.OneShard plan) {
    Resolution where = plan.binding().resolve(execution.planned().text(), execution.parameters());
    if (where instanceof Resolution.One one) {
      OnOneShard.run(execution, plan.facts(), one.shard());
    } else {
      plan.otherwise().match(this);
    }
    return null;
  }

  @Override
  public Void anyCopy(Plan.AnyCopy plan) {
    OnOneShard.run(execution, plan.facts(), copy(execution, plan));
    return null;
  }

  /**
   * The copy to read: one that the transaction reads already, if it is equal; else one of those
   * whose shards nobody waits for.
   */
  static ShardId copy(Execution execution, Plan.AnyCopy plan) {
    List<ShardId> equal = plan.facts().stale().without(plan.shards());
    List<ShardId> usable = equal.isEmpty() ? plan.shards() : equal;
    Optional<ShardId> same = usable.stream().filter(execution.tx().shards()::contains).findFirst();
    if (same.isPresent()) {
      return same.get();
    }
    List<ShardId> there = usable.stream().filter(s -> !execution.tx().awaits(s)).toList();
    List<ShardId> shards = there.isEmpty() ? usable : there;
    return shards.get(execution.spread(shards.size()));
  }

  @Override
  public Void scatter(Plan.Scatter plan) {
    List<ShardId> shards = plan.shards(execution.planned().text(), execution.parameters());
    execution.requireFanOut(
        plan.binding().isPresent() ? FanOut.MULTI : FanOut.SCATTER, () -> shards);
    execution.requireEqualCopies(plan.facts(), shards);
    OverShards.run(execution, shards);
    return null;
  }

  @Override
  public Void sorted(Plan.Sorted plan) {
    Plan.Scatter rows = plan.rows();
    List<ShardId> shards = rows.shards(execution.planned().text(), execution.parameters());
    execution.requireFanOut(
        rows.binding().isPresent() ? FanOut.MULTI : FanOut.SCATTER, () -> shards);
    execution.requireEqualCopies(plan.facts(), shards);
    StreamedRows.run(execution, shards, Optional.of(plan));
    return null;
  }

  @Override
  public Void firstLocked(FirstLocked plan) {
    Plan.Scatter rows = plan.rows();
    List<ShardId> shards = rows.shards(execution.planned().text(), execution.parameters());
    execution.requireFanOut(
        rows.binding().isPresent() ? FanOut.MULTI : FanOut.SCATTER, () -> shards);
    execution.requireEqualCopies(plan.facts(), shards);
    FirstLockedRows.run(execution, plan, shards);
    return null;
  }

  @Override
  public Void gather(Plan.Gather plan) {
    Gather.run(execution, plan);
    return null;
  }

  @Override
  public Void gsiRead(Plan.GsiRead plan) {
    Plan chosen = execution.cheapest(plan, execution.planned().text()).plan();
    if (!(chosen instanceof Plan.GsiRead read)) {
      return chosen.match(this);
    }
    ThroughIndex.run(execution, read, this);
    return null;
  }

  @Override
  public Void unsharded(Plan.Unsharded plan) {
    OnOneShard.run(execution, plan.facts(), plan.shard());
    return null;
  }

  @Override
  public Void authoritative(Plan.Authoritative plan) {
    if (plan.leaves() == Plan.Authoritative.Leaves.NOTHING) {
      OnOneShard.run(execution, plan.facts(), plan.shard());
    } else {
      AtHome.run(execution, plan, commands.backends());
    }
    return null;
  }

  @Override
  public Void write(Plan.Write plan) {
    Resolution where = plan.binding().resolve(execution.planned().text(), execution.parameters());
    if (!(where instanceof Resolution.One one)) {
      plan.otherwise().match(this);
      return null;
    }
    execution.requireEqualCopies(plan.facts(), List.of(one.shard()));
    if (plan.entries().isPresent()) {
      if (inPortions(plan)) {
        return null;
      }
      WriteInParts.onOne(execution, plan, plan.entries().get(), one.shard());
    } else {
      OnOneShard.run(execution, plan.facts(), one.shard());
    }
    return null;
  }

  @Override
  public Void insertInParts(Plan.InsertInParts plan) {
    if (inPortions(plan)) {
      return null;
    }
    requireFanOut(plan.rows());
    WriteInParts.rows(execution, plan);
    return null;
  }

  @Override
  public Void writeOnAll(Plan.WriteOnAll plan) {
    if (inPortions(plan)) {
      return null;
    }
    List<ShardId> shards = plan.shards(execution.planned().text(), execution.parameters());
    execution.requireFanOut(
        plan.binding().isPresent() ? FanOut.MULTI : FanOut.SCATTER, () -> shards);
    execution.requireEqualCopies(plan.facts(), shards);
    WriteInParts.onAll(execution, plan, shards);
    return null;
  }

  @Override
  public Void insertUnlessTaken(Plan.InsertUnlessTaken plan) {
    if (inPortions(plan)) {
      return null;
    }
    requireFanOut(plan.rows());
    InsertUnlessTaken.run(execution, plan);
    return null;
  }

  @Override
  public Void upsert(Plan.Upsert plan) {
    if (inPortions(plan)) {
      return null;
    }
    requireFanOut(plan.rows());
    Upsert.run(execution, plan);
    return null;
  }

  private void requireFanOut(RowSplit rows) {
    execution.requireFanOut(
        FanOut.MULTI,
        () ->
            rows.parts(execution.planned().text(), execution.parameters(), "").stream()
                .map(RowSplit.Part::shard)
                .toList());
  }

  @Override
  public Void insertGathered(Plan.InsertGathered plan) {
    if (inPortions(plan)) {
      return null;
    }
    execution.requireFanOut(
        FanOut.MULTI, () -> execution.session().services().epochs().current().topology().shards());
    InsertGathered.run(
        execution, plan, part -> part.planned().plan().match(new Dispatch(part, commands)));
    return null;
  }

  @Override
  public Void queryFirst(QueryFirst plan) {
    if (inPortions(plan)) {
      return null;
    }
    QueryThenWrite.run(
        execution, plan, part -> part.planned().plan().match(new Dispatch(part, commands)));
    return null;
  }

  @Override
  public Void gsiWrite(Plan.GsiWrite plan) {
    if (inPortions(plan)) {
      return null;
    }
    WriteThroughIndex.run(execution, plan, this);
    return null;
  }

  @Override
  public Void writesInWith(Plan.WritesInWith plan) {
    if (inPortions(plan)) {
      return null;
    }
    Resolution where = plan.binding().resolve(execution.planned().text(), execution.parameters());
    if (where instanceof Resolution.One one) {
      execution.requireEqualCopies(plan.facts(), List.of(one.shard()));
      WritesInWith.run(execution, plan, one.shard());
    } else {
      plan.otherwise().match(this);
    }
    return null;
  }

  @Override
  public Void copyWrite(Plan.CopyWrite plan) {
    if (inPortions(plan)) {
      return null;
    }
    ReferenceWrite.run(execution, plan);
    return null;
  }

  @Override
  public Void copyFrom(Plan.CopyFrom plan) {
    execution.requireFanOut(FanOut.MULTI, plan.group()::shards);
    CopyFrom.run(execution, plan);
    return null;
  }

  @Override
  public Void copyByInsert(Plan.CopyByInsert plan) {
    if (plan.into() instanceof CopyInto.Owner owner) {
      execution.requireFanOut(FanOut.MULTI, owner.group()::shards);
    }
    CopyByInsert.run(execution, plan);
    return null;
  }

  @Override
  public Void numbered(Plan.Numbered plan) {
    execution.then(
        execution.session().numbers().take(plan),
        numbers -> {
          StatementText text = plan.edits().apply(execution.planned().text(), numbers);
          Execution numbered =
              execution.rewritten(
                  execution.session().services().planner().plan(text, plan.context()));
          numbered.planned().plan().match(new Dispatch(numbered, commands));
        });
    return null;
  }

  @Override
  public Void copyTo(Plan.CopyTo plan) {
    execution.requireFanOut(FanOut.SCATTER, plan::shards);
    execution.requireEqualCopies(plan.facts(), plan.shards());
    CopyTo.run(execution, plan);
    return null;
  }

  @Override
  public Void shardExplain(Plan.ShardExplain plan) {
    if (inPortions(plan)) {
      return null;
    }
    ShardExplain.run(execution, plan);
    return null;
  }

  @Override
  public Void copyQuery(Plan.CopyQuery plan) {
    CopyQuery.run(execution, plan, query -> plan.select().match(new Dispatch(query, commands)));
    return null;
  }

  @Override
  public Void merge(Plan.Merge plan) {
    ShardId shard = plan.shard(execution.planned().text(), execution.parameters());
    if (plan.entries().isPresent()) {
      if (inPortions(plan)) {
        return null;
      }
      execution.requireEqualCopies(plan.facts(), List.of(shard));
      MergeWithEntries.run(execution, plan.entries().get(), shard);
    } else {
      OnOneShard.run(execution, plan.facts(), shard);
    }
    return null;
  }

  @Override
  public Void session(SessionCommand plan) {
    if (plan instanceof SessionCommand.ExplainRouter && inPortions(plan)) {
      return null;
    }
    commands.run(execution, plan);
    return null;
  }

  @Override
  public Void refused(Plan.Refused plan) {
    if (SyntaxCheck.isFor(plan)) {
      execution.then(
          execution
              .tx()
              .home()
              .thenCompose(
                  home -> SyntaxCheck.of(home, execution.sql(), execution.declaredTypes(), plan)),
          execution::fail);
    } else {
      execution.fail(plan.toException());
    }
    return null;
  }

  /** Runs a statement of several steps with all its rows where the client wants some at a time. */
  private boolean inPortions(Plan plan) {
    if (execution.maxRows() == 0) {
      return false;
    }
    RowsInPortions.run(execution, all -> plan.match(new Dispatch(all, commands)));
    return true;
  }
}
