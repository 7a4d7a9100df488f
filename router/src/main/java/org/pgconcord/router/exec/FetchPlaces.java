package org.pgconcord.router.exec;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.pgconcord.config.sharding.ShardLocator;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.router.plan.Fetch;
import org.pgconcord.router.plan.FetchChoice;
import org.pgconcord.router.plan.LookupRead;

/**
 * On which shards the rows of a fetch are, where an index can tell (docs/decisions/0032).
 *
 * <h2>Why no row is missed</h2>
 *
 * The fetch repeats the statement's own conditions, so surplus entries bring no rows. What could be
 * missed is a row that is not where its entry says.
 *
 * <p>A unique entry whose row moves to another shard key changes in POST, and POST has executed the
 * change, and holds the entry's lock, before any MAIN commits. Until POST has committed the entry
 * still names the old place, where the row is not any more. So when a fetch finds fewer rows than
 * entries were read, or cannot count them, the entries are read again FOR SHARE, which waits for
 * POST: an entry that has changed means that the row has moved, and all of it is done anew; after
 * some rounds all shards are asked, as without an index. One that has not changed led to where its
 * row was all the while, for as long as there was one. Each row is counted at the shard key of its
 * own entry, so that one that is found twice while it moves does not stand in for another.
 *
 * <p>An entry of an index that is not unique is another one after such a move: the new one commits
 * in PRE, the old one goes in POST, and in between both are read. A row that moves after the lookup
 * is seen as a scatter sees it.
 *
 * <p>This transaction's own entries are known without a lookup ({@link EntryLookup}).
 */
final class FetchPlaces implements EntryLookup.Found {
  /** Rows are counted by their keys up to this many of them; more make a long condition. */
  private static final int COUNTED_MOST = 100;

  private final Execution execution;
  private final Fetch fetch;
  private final LookupRead read;
  private final CompletableFuture<Place> found = new CompletableFuture<>();

  private FetchPlaces(Execution execution, Fetch fetch, LookupRead read) {
    this.execution = execution;
    this.fetch = fetch;
    this.read = read;
  }

  /**
   * Where to fetch.
   *
   * @param conditions on the rows, beside the fetch's own
   * @param whole neither an index nor keys have chosen the shards
   * @param enough with so many rows none is missing
   * @param moved whether an entry names another place now; looked for once
   */
  record Place(
      List<ShardId> shards,
      List<String> conditions,
      boolean whole,
      long enough,
      Supplier<CompletableFuture<Boolean>> moved) {
    boolean led() {
      return !whole;
    }

    /** On the shards of these keys alone. */
    Place on(ShardLocator locator, List<String> keys) {
      Set<ShardId> found = new TreeSet<>();
      keys.forEach(key -> found.add(locator.locate(key)));
      found.retainAll(shards);
      return new Place(List.copyOf(found), conditions, false, enough, moved);
    }
  }

  /** Does not end when a lookup fails: the statement has ended then. */
  static CompletableFuture<Place> find(Execution execution, Fetch fetch) {
    Optional<LookupRead> lookup =
        FetchChoice.of(fetch, execution.planned().text(), execution.parameters(), execution.costs())
            .lookup();
    if (lookup.isEmpty()) {
      return CompletableFuture.completedFuture(everywhere(execution, fetch));
    }
    FetchPlaces places = new FetchPlaces(execution, fetch, lookup.get());
    EntryLookup.find(execution, lookup.get(), places);
    return places.found;
  }

  /** Without an index. */
  static Place everywhere(Execution execution, Fetch fetch) {
    return new Place(
        fetch.shards(execution.planned().text(), execution.parameters()),
        List.of(),
        true,
        0,
        FetchPlaces::never);
  }

  private static CompletableFuture<Boolean> never() {
    return CompletableFuture.completedFuture(false);
  }

  @Override
  public void unusable() {
    found.complete(everywhere(execution, fetch));
  }

  @Override
  public void nothing() {
    found.complete(new Place(List.of(), List.of(), false, 0, FetchPlaces::never));
  }

  @Override
  public void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own) {
    boolean unique = read.index().gsi().unique();
    Tuple first = shardKeys.iterator().next();
    found.complete(
        new Place(
            shards(shardKeys),
            List.of(
                unique
                    ? read.rowCondition(List.of(first.then(lookup.key())))
                    : read.ownerCondition(shardKeys)),
            false,
            unique && !own ? 1 : 0,
            () -> lookup.again().thenApply(Optional::isPresent)));
  }

  @Override
  public void several(EntriesLookup lookup, Set<Tuple> shardKeys, long rows) {
    boolean unique = read.index().gsi().unique();
    boolean counted = unique && fetch.plain() && rows <= COUNTED_MOST;
    found.complete(
        new Place(
            shards(shardKeys),
            List.of(counted ? read.rowCondition(lookup.pairs()) : read.ownerCondition(shardKeys)),
            false,
            unique ? (counted ? rows : Long.MAX_VALUE) : 0,
            () -> lookup.again(List.of()).thenApply(moved -> !moved.isEmpty())));
  }

  private List<ShardId> shards(Set<Tuple> shardKeys) {
    Set<ShardId> shards = new TreeSet<>();
    shardKeys.forEach(shardKey -> shards.add(read.index().shardOf(shardKey)));
    return List.copyOf(shards);
  }
}
