package org.pgconcord.router.exec;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.plan.LookupRead;

/**
 * Where the rows with a statement's key are, by the index's entries.
 *
 * <p>While the index is enabled every committed owner row that routers wrote has its entry, so a
 * key without entry has no row. The read epoch comes in the same statement as the entry: an epoch
 * above the plan's means that routers may have stopped maintaining, and the entries say nothing.
 *
 * <p>A transaction's own entries are not visible to the service role before they commit: what it
 * has written or deleted itself it knows without a lookup. Its own entries of one key of an index
 * that is not unique could be any number: such an index is of no use to it once it has touched it.
 */
final class EntryLookup {
  private final Execution execution;
  private final LookupIndex index;
  private final EntrySql sql;
  private final Tuple key;

  /** Of the entry of a unique index, as it was read last; empty where that is not known. */
  private String version = "";

  private EntryLookup(Execution execution, LookupIndex index, Tuple key) {
    this.execution = execution;
    this.index = index;
    this.sql = new EntrySql(index);
    this.key = key;
  }

  /** What becomes of the statement; one of them is called. */
  interface Found {
    /** The index cannot tell: go on as if there were none. */
    void unusable();

    /** There is no row with the key. */
    void nothing();

    /**
     * All rows with the key, if there are any, have these shard keys.
     *
     * @param lookup for a second look
     * @param own the transaction wrote the row itself, so that it cannot have moved
     */
    void owners(EntryLookup lookup, Set<Tuple> shardKeys, boolean own);

    /**
     * The rows with any of several keys have these shard keys.
     *
     * @param lookup for a second look, of a unique index
     * @param rows how many there are by the entries, of a unique index; an entry whose row is being
     *     moved can name a place where it is not any more
     */
    default void several(EntriesLookup lookup, Set<Tuple> shardKeys, long rows) {
      unusable();
    }
  }

  static void find(Execution execution, LookupRead read, Found found) {
    Optional<Set<Tuple>> keys = keys(execution, read, found);
    if (keys.isEmpty()) {
      return;
    }
    if (read.isLone()) {
      new EntryLookup(execution, read.index(), keys.get().iterator().next()).find(read, found);
    } else {
      new EntriesLookup(execution, read, found).find(keys.get());
    }
  }

  /** Nothing to look up where {@code found} has been told already. */
  private static Optional<Set<Tuple>> keys(Execution execution, LookupRead read, Found found) {
    LookupRead.Keys keys = read.keys(execution.planned().text(), execution.parameters());
    if (keys instanceof LookupRead.Keys.Known known && !known.keys().isEmpty()) {
      return Optional.of(known.keys());
    } else if (keys instanceof LookupRead.Keys.Known) {
      found.nothing();
    } else {
      found.unusable();
    }
    return Optional.empty();
  }

  private void find(LookupRead read, Found found) {
    Optional<EntryTransaction> own = execution.tx().changedEntries();
    if (!index.gsi().unique()) {
      if (own.filter(entries -> entries.touches(index)).isPresent()) {
        found.unusable();
        return;
      }
    } else if (own.isPresent()) {
      Optional<Tuple> written = own.get().written(index, key);
      if (written.isPresent()) {
        found.owners(this, Set.of(index.shardKeyOf(new Entry(key, written.get()))), true);
        return;
      } else if (own.get().deleted(index, key)) {
        found.nothing();
        return;
      }
    }
    ask(sql.readWithEpoch(key), result -> looked(result, read.epoch(), found));
  }

  /**
   * The same for a transaction that has changed nothing, and an index that is unique and covering.
   *
   * @param whole hears all columns of the key's entry where it answers by itself
   */
  static void findWhole(
      Execution execution, LookupRead read, Found found, Consumer<List<String>> whole) {
    keys(execution, read, found)
        .map(keys -> new EntryLookup(execution, read.index(), keys.iterator().next()))
        .ifPresent(
            asked ->
                asked.ask(
                    asked.sql.readCovering(asked.key),
                    result -> asked.lookedWhole(result.rows().get(0), read.epoch(), found, whole)));
  }

  private void lookedWhole(
      List<@Nullable String> row, long planned, Found found, Consumer<List<String>> whole) {
    if (isPast(row.get(0), planned) || !holds(execution, index)) {
      found.unusable();
    } else if (row.get(2) == null) {
      found.nothing();
    } else {
      List<String> entry = row.subList(3, row.size()).stream().map(String::valueOf).toList();
      if ("1".equals(row.get(1)) && "0".equals(row.get(2))) {
        whole.accept(entry);
      } else {
        int from = index.key().size();
        found.owners(
            this, Set.of(new Tuple(entry.subList(from, from + index.shardKey().size()))), false);
      }
    }
  }

  /** Routers may have stopped maintaining since the statement was planned. */
  static boolean isPast(@Nullable String epoch, long planned) {
    return epoch == null || Long.parseLong(epoch) > planned;
  }

  /** The servers that the entries speak of are those that the index was compared with. */
  static boolean holds(Execution execution, LookupIndex index) {
    return execution.tx().ground().holds(index.shards());
  }

  /** What is looked up. */
  Tuple key() {
    return key;
  }

  private void ask(EntryStatement statement, Consumer<QueryResult> answer) {
    execution.then(
        execution
            .session()
            .serviceSessions()
            .query(index.lookupShard(key), BackendRole.SERVICE, statement),
        answer);
  }

  private void looked(QueryResult result, long planned, Found found) {
    List<List<@Nullable String>> rows = result.rows();
    if (isPast(rows.get(0).get(0), planned)
        || rows.size() > EntrySql.READ_MOST
        || !holds(execution, index)) {
      found.unusable();
    } else if (rows.get(0).get(1) == null) {
      found.nothing();
    } else {
      Set<Tuple> shardKeys = new LinkedHashSet<>();
      rows.forEach(row -> shardKeys.add(new Tuple(row.subList(2, row.size()))));
      version = String.valueOf(rows.get(0).get(1));
      found.owners(this, shardKeys, false);
    }
  }

  /**
   * Reads a unique entry again, when no row was found where it led. That waits for a change of the
   * entry that is under way in POST or in a prepared transaction, or fails with its lock timeout,
   * but never says "no rows" in between.
   *
   * <p>An entry that nobody has changed since it was read named its row's place all the time; one
   * that names the same place again may have named another one in between.
   *
   * @return the shard key that the entry names now, if it has been changed
   */
  CompletableFuture<Optional<Tuple>> again() {
    return execution
        .session()
        .serviceSessions()
        .query(index.lookupShard(key), BackendRole.SERVICE, sql.readVersionForShare(key))
        .thenApply(result -> result.rows().stream().findFirst().flatMap(this::changed))
        .thenApply(execution.tx().ground()::checked);
  }

  private Optional<Tuple> changed(List<@Nullable String> row) {
    String before = version;
    version = String.valueOf(row.get(0));
    return Optional.of(row.subList(1, row.size()))
        .filter(now -> !version.equals(before))
        .map(now -> index.shardKeyOf(new Entry(key, sql.holder(now))));
  }
}
