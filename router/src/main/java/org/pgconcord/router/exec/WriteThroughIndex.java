package org.pgconcord.router.exec;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * UPDATE or DELETE of rows that an index names ({@link EntryLookup}): the statement runs on their
 * shards, its own condition repeated and the shard keys beside it (decision 0012).
 *
 * <p>A statement that has changed no row where a unique entry led may have lost a race with a move
 * of the row: it waited for the row, and the row went away. The entry is then read again, after
 * whatever changes it, and if it names another shard key the statement runs there. It has changed
 * nothing before, so nothing is done twice.
 */
final class WriteThroughIndex implements EntryLookup.Found {
  private final Execution execution;
  private final Plan.GsiWrite plan;
  private final Dispatch dispatch;
  private final LookupIndex index;

  private WriteThroughIndex(Execution execution, Plan.GsiWrite plan, Dispatch dispatch) {
    this.execution = execution;
    this.plan = plan;
    this.dispatch = dispatch;
    this.index = plan.lookup().index();
  }

  /** Runs {@code otherwise} through {@code dispatch} when the index cannot tell. */
  static void run(Execution execution, Plan.GsiWrite plan, Dispatch dispatch) {
    EntryLookup.find(execution, plan.lookup(), new WriteThroughIndex(execution, plan, dispatch));
  }

  @Override
  public void unusable() {
    plan.otherwise().match(dispatch);
  }

  /** Some shard must say what columns RETURNING has. */
  @Override
  public void nothing() {
    String sql =
        plan.entries().map(work -> work.sql(execution.planned().text())).orElseGet(execution::sql);
    RowSplit.Part part = new RowSplit.Part(plan.lookup().anyOwnerShard(), sql, List.of());
    WriteInParts.named(execution, plan, new Where(List.of(part), ""), write -> write.finish());
  }

  @Override
  public void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own) {
    Tuple first = shardKeys.iterator().next();
    execution.requireFanOut(FanOut.MULTI, () -> shardKeys.stream().map(index::shardOf).toList());
    WriteInParts.named(
        execution,
        plan,
        where(shardKeys),
        index.gsi().unique() && !own
            ? write ->
                lookup.again(
                    first,
                    moved ->
                        moved.ifPresentOrElse(
                            now -> write.again(where(Set.of(now))), write::finish))
            : WriteInParts::finish);
  }

  /**
   * Where the statement runs.
   *
   * @param narrowing what must hold beside its own condition
   */
  record Where(List<RowSplit.Part> parts, String narrowing) {}

  private Where where(Collection<Tuple> shardKeys) {
    StatementText text = execution.planned().text();
    SqlEdit behind =
        plan.entries().map(EntryWork::edit).orElseGet(() -> new SqlEdit(text.tokens().size(), ""));
    String sql = plan.lookup().ownerSql(text, shardKeys, behind);
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(index.shardOf(shardKey)));
    return new Where(
        shards.stream().map(shard -> new RowSplit.Part(shard, sql, List.of())).toList(),
        plan.lookup().ownerCondition(shardKeys));
  }
}
