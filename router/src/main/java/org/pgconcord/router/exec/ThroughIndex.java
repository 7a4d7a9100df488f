package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.wire.Frame;
import org.pgconcord.router.wire.RowDescription;

/**
 * A read through an index: the lookup table names the owner shard ({@link EntryLookup}), the
 * client's statement runs there with its own predicate and the shard key beside it.
 *
 * <h2>Why the answer is right</h2>
 *
 * A key without entry has no row, and one owner shard answers for all ({@code count(*)} must say 0,
 * not nothing). The owner's predicate is always repeated, so surplus is never an answer.
 *
 * <p>An entry whose shard has no matching row is read again FOR SHARE; if it has been changed since
 * it was read, the shard that it names now is asked, and so on until nobody has changed it. An
 * aggregate has a row whether the owner's row was there or not: it is held back until the entry has
 * been read again, and asked for anew as long as that is changed.
 *
 * <p>An index that is not unique names as many owner rows as there are. Their shards are asked, no
 * others; a key with more entries than are worth reading is answered as if there were no index. No
 * second look is needed: a row that moves between two shards meanwhile is seen as a scatter would
 * see it, and any other row had its entry when the lookup was made.
 *
 * <p>An entry of a covering index that has no token is the answer where the query needs nothing
 * else ({@code docs/decisions/0018-covering-reads.md}): at the moment of the statement that read it
 * its owner row was committed and had these values.
 */
final class ThroughIndex implements EntryLookup.Found {
  private final Execution execution;
  private final Plan.GsiRead plan;
  private final Dispatch dispatch;
  private final LookupIndex index;

  private ThroughIndex(Execution execution, Plan.GsiRead plan, Dispatch dispatch) {
    this.execution = execution;
    this.plan = plan;
    this.dispatch = dispatch;
    this.index = plan.lookup().index();
  }

  /** Runs {@code otherwise} through {@code dispatch} when the index cannot answer. */
  static void run(Execution execution, Plan.GsiRead plan, Dispatch dispatch) {
    ThroughIndex read = new ThroughIndex(execution, plan, dispatch);
    if (read.mayBeCovered()) {
      execution.then(execution.session().rights().of(execution, plan), read::coveredIf);
    } else {
      EntryLookup.find(execution, plan.lookup(), read);
    }
  }

  /**
   * The entry may be the whole answer. Not where this transaction has written anything, which a
   * trigger may have carried on to the owner; a portal with a row limit has to be able to go on.
   */
  private boolean mayBeCovered() {
    return plan.lookup().covering().isPresent()
        && execution.maxRows() == 0
        && !execution.tx().wrote();
  }

  private void coveredIf(CoveringRights.Verdict verdict) {
    if (verdict.allowed()) {
      EntryLookup.findWhole(
          execution, plan.lookup(), this, entry -> answer(entry, verdict.description()));
    } else {
      EntryLookup.find(execution, plan.lookup(), this);
    }
  }

  private void answer(List<String> entry, @Nullable RowDescription description) {
    List<Integer> places = plan.lookup().covering().orElseThrow();
    CoveringAnswer.send(
        execution,
        description,
        places.stream().map(entry::get).toList(),
        places.stream().map(place -> index.columns().get(place).column().typeOid()).toList());
  }

  @Override
  public void unusable() {
    plan.otherwise().match(dispatch);
  }

  @Override
  public void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own) {
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(index.shardOf(shardKey)));
    if (plan.lookup().aggregate() && execution.maxRows() > 0) {
      unusable(); // a portal that is to go on cannot be asked for anew
    } else if (shards.size() == 1) {
      askOwner(lookup, shardKeys, index.gsi().unique() && !own, false);
    } else {
      execution.requireFanOut(FanOut.MULTI, () -> shards);
      execution.requireEqualCopies(plan.facts(), List.copyOf(shards));
      OverShards.run(execution, List.copyOf(shards));
    }
  }

  /**
   * The shards that the entries name. While a row is moved its entry can still name the shard that
   * it has left, for as long as a commit in two phases takes to end: fewer rows than entries are
   * therefore looked for on all other shards too.
   */
  @Override
  public void several(EntriesLookup lookup, Set<Tuple> shardKeys, long rows) {
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(index.shardOf(shardKey)));
    List<ShardId> others =
        index.ownerShards().stream().filter(shard -> !shards.contains(shard)).toList();
    execution.requireFanOut(FanOut.MULTI, () -> shards);
    execution.requireEqualCopies(plan.facts(), index.ownerShards());
    OverShards.run(execution, List.copyOf(shards), rows, others);
  }

  @Override
  public void nothing() {
    OnOneShard.run(execution, plan.facts(), plan.lookup().anyOwnerShard());
  }

  /** Asks the one shard on which rows of these shard keys are. */
  private void askOwner(
      EntryLookup lookup, Set<Tuple> shardKeys, boolean lookAgain, boolean described) {
    ShardId shard = index.shardOf(shardKeys.iterator().next());
    execution.requireEqualCopies(plan.facts(), List.of(shard));
    execution.then(
        execution.reader(shard), backend -> send(backend, lookup, shardKeys, lookAgain, described));
  }

  private void send(
      BackendConnection backend,
      EntryLookup lookup,
      Set<Tuple> shardKeys,
      boolean lookAgain,
      boolean described) {
    String narrowed = plan.lookup().ownerSql(execution.planned().text(), shardKeys);
    backend.send(
        execution.request(narrowed, false, backend),
        new OwnerAnswer(narrowed, lookup, lookAgain, described));
  }

  /** Each further look means that the entry was changed meanwhile. */
  private void lookAgain(EntryLookup lookup, OwnerAnswer last) {
    execution.then(
        lookup.again(),
        moved -> {
          if (moved.isPresent()) {
            askOwner(lookup, Set.of(moved.get()), true, true);
          } else {
            last.giveHeldBack();
            execution.done();
          }
        });
  }

  /** The owner's answer; held back while a second look may find the row elsewhere. */
  private final class OwnerAnswer extends PassThrough {
    private final String narrowed;
    private final EntryLookup lookup;
    private final boolean lookAgain;
    private final boolean described;
    private final List<Frame> held = new ArrayList<>();
    private boolean anyRow;

    OwnerAnswer(String narrowed, EntryLookup lookup, boolean lookAgain, boolean described) {
      super(ThroughIndex.this.execution, false);
      this.narrowed = narrowed;
      this.lookup = lookup;
      this.lookAgain = lookAgain;
      this.described = described;
    }

    @Override
    String sent() {
      return narrowed;
    }

    @Override
    public void rowDescription(Frame frame) {
      if (!described) {
        super.rowDescription(frame);
      }
    }

    @Override
    public void rows(Frame rows) {
      if (lookAgain && plan.lookup().aggregate()) {
        held.add(rows.copy());
      } else {
        anyRow = true;
        super.rows(rows);
      }
    }

    @Override
    public void complete(Frame frame) {
      if (lookAgain && !anyRow) {
        held.add(frame.copy());
      } else {
        super.complete(frame);
      }
    }

    @Override
    void answered() {
      if (held.isEmpty()) {
        super.answered();
      } else {
        lookAgain(lookup, this);
      }
    }

    private void giveHeldBack() {
      Frame end = held.remove(held.size() - 1);
      held.forEach(super::rows);
      super.complete(end);
    }
  }
}
