package org.pgconcord.router.exec;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.entries.ReturnedRows;
import org.pgconcord.router.plan.EntryWork;
import org.pgconcord.router.plan.Plan;
import org.pgconcord.router.plan.RowSplit;
import org.pgconcord.router.session.FanOut;
import org.pgconcord.router.sql.SqlEdit;
import org.pgconcord.router.sql.StatementText;

/**
 * UPDATE or DELETE of rows that an index names ({@link EntryLookup}): the statement runs on their
 * shards, its own condition repeated and the shard keys beside it (decisions 0012 and 0019).
 *
 * <p>A row that is not where its unique entry led may have been moved meanwhile: the statement
 * waited for it, and it went away. The entry is then read again, after whatever changes it, and if
 * it names another shard key the row is looked for there. Of several keys this is done for each
 * whose row was not found, and for no other: no row is changed twice. Rows that have to be locked
 * first are all locked before any is changed.
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
    WriteInParts.named(execution, plan, new Elsewhere.Where(List.of(part), ""), Elsewhere.NOWHERE);
  }

  @Override
  public void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own) {
    execution.requireFanOut(FanOut.MULTI, () -> shards(shardKeys));
    boolean unique = index.gsi().unique();
    WriteInParts.named(
        execution,
        plan,
        where(shardKeys, plan.lookup().ownerCondition(shardKeys)),
        unique && !own ? new OfOne(lookup) : Elsewhere.NOWHERE);
  }

  @Override
  public void several(EntriesLookup lookup, Set<Tuple> shardKeys, long rows) {
    execution.requireFanOut(FanOut.MULTI, () -> shards(shardKeys));
    WriteInParts.named(
        execution,
        plan,
        where(shardKeys, plan.lookup().ownerCondition(shardKeys)),
        index.gsi().unique() ? new OfSeveral(lookup, shardKeys) : Elsewhere.NOWHERE);
  }

  private Set<ShardId> shards(Collection<Tuple> shardKeys) {
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(index.shardOf(shardKey)));
    return shards;
  }

  private Elsewhere.Where where(Collection<Tuple> shardKeys, String narrowing) {
    StatementText text = execution.planned().text();
    SqlEdit behind =
        plan.entries().map(EntryWork::edit).orElseGet(() -> new SqlEdit(text.tokens().size(), ""));
    String sql = plan.lookup().narrowed(text, narrowing, behind);
    return new Elsewhere.Where(
        shards(shardKeys).stream().map(shard -> new RowSplit.Part(shard, sql, List.of())).toList(),
        narrowing);
  }

  /** Where the row of a lone key has gone. */
  private final class OfOne implements Elsewhere {
    private final EntryLookup lookup;

    OfOne(EntryLookup lookup) {
      this.lookup = lookup;
    }

    @Override
    public CompletableFuture<Optional<Where>> after(
        Supplier<List<ReturnedRows.Found>> found, long rows) {
      if (rows > 0) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      return lookup
          .again()
          .thenApply(
              moved ->
                  moved.map(now -> where(Set.of(now), plan.lookup().ownerCondition(Set.of(now)))));
    }
  }

  /** Where rows of a list of keys have gone. */
  private final class OfSeveral implements Elsewhere {
    private final EntriesLookup lookup;
    private final Set<ShardId> asked;

    OfSeveral(EntriesLookup lookup, Set<Tuple> shardKeys) {
      this.lookup = lookup;
      this.asked = shards(shardKeys);
    }

    @Override
    public CompletableFuture<Optional<Where>> after(
        Supplier<List<ReturnedRows.Found>> found, long rows) {
      List<Tuple> keys =
          found.get().stream()
              .filter(each -> each.index().name().equals(index.name()))
              .map(each -> index.keyOf(each.entry()))
              .toList();
      return lookup.again(keys).thenApply(this::next);
    }

    private Optional<Where> next(Map<Tuple, Tuple> moved) {
      if (moved.isEmpty()) {
        return Optional.empty();
      }
      Set<Tuple> shardKeys = Set.copyOf(moved.values());
      asked.addAll(shards(shardKeys));
      execution.requireFanOut(FanOut.MULTI, () -> asked);
      return Optional.of(where(shardKeys, plan.lookup().ownerCondition(shardKeys, moved.keySet())));
    }
  }
}
