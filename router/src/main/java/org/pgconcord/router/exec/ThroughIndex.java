package org.pgconcord.router.exec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.plan.KeyValue;
import org.pgconcord.router.plan.LookupRead;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.wire.Frame;

/**
 * A read through an index: the lookup table names the owner shard, the client's statement runs
 * there with its own predicate and the shard key beside it.
 *
 * <h2>Why the answer is right</h2>
 *
 * While the index is enabled every committed owner row that routers wrote has its entry, so a key
 * without entry has no row, and one owner shard answers for all ({@code count(*)} must say 0, not
 * nothing). The read epoch comes in the same statement as the entry: an epoch above the plan's
 * means that routers may have stopped maintaining, and the statement runs as if there were no
 * index. The owner's predicate is always repeated, so surplus is never an answer.
 *
 * <p>An entry whose shard has no matching row is read again FOR SHARE. That waits for a change of
 * the entry that is under way in POST or in a prepared transaction, or fails with its lock timeout,
 * but never says "no rows" in between; if the entry then names another shard key, that one is
 * asked.
 *
 * <p>An index that is not unique names as many owner rows as there are. Their shards are asked, no
 * others; a key with more entries than are worth reading is answered as if there were no index. No
 * second look is needed: a row that moves between two shards meanwhile is seen as a scatter would
 * see it, and any other row had its entry when the lookup was made.
 *
 * <p>A transaction's own entries are not visible to the service role before they commit: what it
 * has written or deleted itself it knows without a lookup.
 */
final class ThroughIndex {
  private final Execution execution;
  private final Plan.GsiRead plan;
  private final LookupIndex index;
  private final EntrySql sql;
  private final Tuple key;

  private ThroughIndex(Execution execution, Plan.GsiRead plan, Tuple key) {
    this.execution = execution;
    this.plan = plan;
    this.index = plan.lookup().index();
    this.sql = new EntrySql(index);
    this.key = key;
  }

  /** Runs {@code otherwise} through {@code dispatch} when the index cannot answer. */
  static void run(Execution execution, Plan.GsiRead plan, Dispatch dispatch) {
    LookupRead lookup = plan.lookup();
    List<KeyValue> values = lookup.key(execution.planned().text(), execution.parameters());
    if (values.stream().anyMatch(value -> value instanceof KeyValue.NotConvertible)) {
      plan.otherwise().match(dispatch);
    } else if (values.stream().anyMatch(value -> value instanceof KeyValue.Null)) {
      OnOneShard.run(execution, plan.facts(), lookup.anyOwnerShard());
    } else {
      Tuple key = new Tuple(values.stream().map(value -> ((KeyValue.Text) value).value()).toList());
      ThroughIndex read = new ThroughIndex(execution, plan, key);
      if (lookup.index().gsi().unique()) {
        read.unique(dispatch);
      } else {
        read.several(dispatch);
      }
    }
  }

  private void unique(Dispatch dispatch) {
    Optional<EntryTransaction> own = execution.tx().changedEntries();
    Optional<Tuple> written = own.flatMap(entries -> entries.written(index, key));
    if (written.isPresent()) {
      askOwner(Set.of(index.shardKeyOf(new Entry(key, written.get()))), false, false);
    } else if (own.isPresent() && own.get().deleted(index, key)) {
      withoutEntry();
    } else {
      lookUp(sql.readWithEpoch(key), result -> looked(result, dispatch));
    }
  }

  /** A transaction's own entries of one key could be any number: it asks all shards. */
  private void several(Dispatch dispatch) {
    if (execution.tx().changedEntries().filter(own -> own.touches(index)).isPresent()) {
      plan.otherwise().match(dispatch);
    } else {
      lookUp(sql.readWithEpoch(key), result -> looked(result, dispatch));
    }
  }

  private void lookUp(EntryStatement statement, Consumer<QueryResult> answer) {
    execution.then(
        execution
            .session()
            .serviceSessions()
            .query(index.lookupShard(key), BackendRole.SERVICE, statement),
        answer);
  }

  private void looked(QueryResult result, Dispatch dispatch) {
    List<List<@Nullable String>> rows = result.rows();
    String epoch = rows.get(0).get(0);
    if (epoch == null
        || Long.parseLong(epoch) > plan.lookup().epoch()
        || rows.size() > EntrySql.READ_MOST) {
      plan.otherwise().match(dispatch);
    } else if (rows.get(0).get(1) == null) {
      withoutEntry();
    } else {
      ask(rows);
    }
  }

  private void ask(List<List<@Nullable String>> rows) {
    Set<Tuple> shardKeys = new LinkedHashSet<>();
    rows.forEach(row -> shardKeys.add(new Tuple(row.subList(1, row.size()))));
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(index.shardOf(shardKey)));
    if (shards.size() == 1) {
      askOwner(shardKeys, index.gsi().unique(), false);
    } else {
      execution.requireEqualCopies(plan.facts(), List.copyOf(shards));
      OverShards.run(execution, List.copyOf(shards));
    }
  }

  private void withoutEntry() {
    OnOneShard.run(execution, plan.facts(), plan.lookup().anyOwnerShard());
  }

  /** Asks the one shard on which rows of these shard keys are. */
  private void askOwner(Set<Tuple> shardKeys, boolean lookAgain, boolean described) {
    ShardId shard = index.shardOf(shardKeys.iterator().next());
    execution.requireEqualCopies(plan.facts(), List.of(shard));
    execution.then(
        execution.tx().backend(shard), backend -> send(backend, shardKeys, lookAgain, described));
  }

  private void send(
      BackendConnection backend, Set<Tuple> shardKeys, boolean lookAgain, boolean described) {
    String narrowed = plan.lookup().ownerSql(execution.planned().text(), shardKeys);
    backend.send(
        execution.request(narrowed, false, backend),
        new OwnerAnswer(shardKeys.iterator().next(), lookAgain, described));
  }

  private void lookAgain(Tuple shardKey) {
    lookUp(
        sql.readForShare(key),
        result -> {
          Tuple now =
              result.rows().isEmpty()
                  ? shardKey
                  : index.shardKeyOf(new Entry(key, sql.holder(result.rows().get(0))));
          if (now.equals(shardKey)) {
            execution.sink().complete("SELECT 0");
            execution.done();
          } else {
            askOwner(Set.of(now), false, true);
          }
        });
  }

  /** The owner's answer; its end is held back while a second look may find the row elsewhere. */
  private final class OwnerAnswer extends PassThrough {
    private final Tuple shardKey;
    private final boolean lookAgain;
    private final boolean described;
    private boolean anyRow;
    private boolean heldBack;

    OwnerAnswer(Tuple shardKey, boolean lookAgain, boolean described) {
      super(ThroughIndex.this.execution, false);
      this.shardKey = shardKey;
      this.lookAgain = lookAgain;
      this.described = described;
    }

    @Override
    public void rowDescription(Frame frame) {
      if (!described) {
        super.rowDescription(frame);
      }
    }

    @Override
    public void rows(Frame rows) {
      anyRow = true;
      super.rows(rows);
    }

    @Override
    public void complete(Frame frame) {
      heldBack = lookAgain && !anyRow;
      if (!heldBack) {
        super.complete(frame);
      }
    }

    @Override
    void answered() {
      if (heldBack) {
        lookAgain(shardKey);
      } else {
        super.answered();
      }
    }
  }
}
