package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.plan.EntryWork;

/**
 * The entries of one client transaction: what is written to lookup tables in PRE, MAIN and POST.
 *
 * <h2>Invariant</h2>
 *
 * Whenever MAIN may commit a new owner row, its entry is committed already (PRE) or commits with it
 * (MAIN on the lookup's own server); and as long as MAIN may still roll back the deletion of a row,
 * its entry is there. A crash between any two steps therefore leaves at most an entry without its
 * row.
 *
 * <h2>Order</h2>
 *
 * <ol>
 *   <li>The owner statement has run in MAIN. New entries are claimed in PRE at once, so that a
 *       duplicate fails the statement that made it, in batches ({@link EntryChanges}).
 *   <li>At COMMIT, {@link #secure}: the key lock of each key that PRE holds, shared, in the MAIN of
 *       its row; then the removals are <i>executed</i> in POST. From here to the end of MAIN a
 *       settlement that looks for the owner of a new entry waits for the key lock; before, it
 *       waited for PRE's row lock. The row locks of POST keep everybody from re-using an entry that
 *       is about to go: executed after MAIN's commit the DELETE could meet a new, equal, live
 *       entry.
 *   <li>{@link #commitPre}, then the MAINs' commits by the caller, then {@link #commitPost}.
 * </ol>
 *
 * An entry that PRE has only kept, and whose row this transaction deleted again, is removed in POST
 * after PRE's commit and still before MAIN's: PRE's own row lock stood in the way. Between the two
 * the entry names a row whose deletion is not committed, as it did before this transaction began.
 *
 * <h2>On the lookup's own server</h2>
 *
 * A new entry is added in MAIN by a function that checks the row for itself, atomic with it and
 * without key lock. A key that is taken there is settled on service-role backends in transactions
 * of their own; if the other owner turns out to be gone the addition is tried again.
 */
public final class EntryTransaction {

  private final ServiceSessions sessions;
  private final EntryOverlay overlay;
  private final EntryTokens tokens;
  private final EntryChanges changes;
  private final Map<ShardId, BackendConnection> pre = new LinkedHashMap<>();
  private final Map<ShardId, BackendConnection> post = new LinkedHashMap<>();
  private List<EntryOverlay.Touched> removals = List.of();

  /**
   * @param twoPhase the transaction can be committed in two phases, so that keys may move
   */
  public EntryTransaction(ServiceSessions sessions, boolean twoPhase) {
    this(sessions, twoPhase, () -> false);
  }

  /**
   * @param twoPhase the transaction can be committed in two phases, so that keys may move
   * @param atomic it will be, keys moving or not
   */
  public EntryTransaction(ServiceSessions sessions, boolean twoPhase, BooleanSupplier atomic) {
    this.sessions = sessions;
    this.overlay = new EntryOverlay(() -> twoPhase && atomic.getAsBoolean());
    String token = UUID.randomUUID().toString();
    this.tokens = new EntryTokens(sessions, token);
    this.changes = new EntryChanges(sessions, overlay, this::pre, twoPhase, token);
  }

  /**
   * The holder of the row that this transaction wrote for the identity, whose entry nobody else
   * sees yet.
   */
  public Optional<Tuple> written(LookupIndex index, Tuple identity) {
    return overlay.current(index, identity);
  }

  /** True when this transaction deleted the identity's row and has not written another. */
  public boolean deleted(LookupIndex index, Tuple identity) {
    return overlay.seen(index, identity) == EntryOverlay.Seen.REMOVED;
  }

  /** True when entries of the index may exist, or be gone, that only this transaction knows of. */
  public boolean touches(LookupIndex index) {
    return overlay.touches(index);
  }

  // --- savepoints ------------------------------------------------------------------------------

  /** This moment, for {@link #rollbackTo}. */
  public int mark() {
    return overlay.mark();
  }

  /** PRE and MAINs have undone what was done since. */
  public void rollbackTo(int mark) {
    overlay.rollbackTo(mark);
  }

  // --- statements ------------------------------------------------------------------------------

  /**
   * Follows rows that one statement has just changed, on any number of shards. All that are gone
   * are noted before any is added, so that rows may exchange their keys. An entry that is the same
   * before and after, of the same row or of another, is left alone.
   *
   * @param mains the backends of the rows' shards
   * @param before the entries of exactly these rows as they were
   * @param after their entries now
   * @param fixed indexes whose entries may not change
   */
  public CompletableFuture<Void> change(
      Map<ShardId, BackendConnection> mains,
      List<ReturnedRows.Found> before,
      List<ReturnedRows.Found> after,
      Set<GsiName> fixed) {
    Set<ReturnedRows.Found> had = new HashSet<>(before);
    Set<ReturnedRows.Found> have = new HashSet<>(after);
    Optional<ReturnedRows.Found> twice = EntryOverlay.twice(have);
    if (twice.isPresent()) {
      return CompletableFuture.failedFuture(
          EntryErrors.duplicate(twice.get().index(), twice.get().entry()));
    }
    List<ReturnedRows.Found> removed = new ArrayList<>(had);
    removed.removeAll(have);
    List<ReturnedRows.Found> gained = new ArrayList<>(have);
    gained.removeAll(had);
    Optional<ReturnedRows.Found> forbidden =
        Stream.concat(removed.stream(), gained.stream())
            .filter(found -> fixed.contains(found.index().name()))
            .findFirst();
    if (forbidden.isPresent()) {
      return CompletableFuture.failedFuture(EntryErrors.changed(forbidden.get().index()));
    }
    return remove(mains, removed).thenCompose(done -> add(mains, gained));
  }

  /**
   * Secures the entries of rows that MAINs have just written; fails with what the client is told.
   *
   * @param mains the backends of the rows' shards
   */
  public CompletableFuture<Void> add(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    requireBounded((long) overlay.size() + rows.size());
    return changes.add(mains, rows);
  }

  /**
   * The same, but false where the key of one of {@code arbiters} is another row's: those indexes
   * are asked first. What was done until then is the caller's to undo.
   */
  public CompletableFuture<Boolean> addUnlessTaken(
      Map<ShardId, BackendConnection> mains,
      List<ReturnedRows.Found> rows,
      Collection<GsiName> arbiters) {
    Map<Boolean, List<ReturnedRows.Found>> byKind =
        rows.stream().collect(Collectors.partitioningBy(r -> arbiters.contains(r.index().name())));
    return add(mains, byKind.getOrDefault(true, List.of()))
        .handle((done, failure) -> failure)
        .thenCompose(
            failure -> {
              if (failure == null) {
                return add(mains, byKind.getOrDefault(false, List.of())).thenApply(done -> true);
              }
              Throwable cause =
                  failure instanceof CompletionException && failure.getCause() != null
                      ? failure.getCause()
                      : failure;
              return EntryErrors.isDuplicate(cause, arbiters)
                  ? CompletableFuture.completedFuture(false)
                  : CompletableFuture.failedFuture(cause);
            });
  }

  /**
   * Keeps the entries that one transaction holds in memory within bounds.
   *
   * @throws ConcordException when there are more than that
   */
  public static void requireBounded(long entries) {
    if (entries > EntryWork.ROWS_MOST) {
      throw ErrorCode.WRITE_TOO_MANY_ENTRIES.because(
          "a transaction changes entries of more than %,d rows".formatted(EntryWork.ROWS_MOST));
    }
  }

  /** Checks and holds the mappings to which rows point that MAINs have just written. */
  public CompletableFuture<Void> check(Collection<MappingRows.Found> mappings) {
    requireBounded((long) overlay.size() + mappings.size());
    return new MappingChecks(sessions, overlay, this::post).check(mappings);
  }

  /** Notes the entries of rows that MAIN has just deleted. */
  public CompletableFuture<Void> remove(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    requireBounded((long) overlay.size() + rows.size());
    for (ReturnedRows.Found row : rows) {
      if (overlay.referred(row.index(), row.entry())) {
        return CompletableFuture.failedFuture(EntryErrors.mappingHeld(row.index(), row.entry()));
      }
    }
    return changes.remove(mains, rows);
  }

  // --- the end ---------------------------------------------------------------------------------

  /**
   * The last steps before anything commits: the key locks of each MAIN's new rows there, then the
   * removals, executed in POST.
   *
   * @param mains the client backends of the shards that were written
   */
  public CompletableFuture<Void> secure(Map<ShardId, BackendConnection> mains) {
    removals = overlay.toRemove();
    return tokens.mark(removals, this::pre).thenCompose(marked -> takeLocks(mains));
  }

  /** All of it is committed and visible: entries of covering indexes may answer again. */
  public void committed() {
    tokens.clear(overlay.heldInPre());
  }

  private CompletableFuture<Void> takeLocks(Map<ShardId, BackendConnection> mains) {
    Map<ShardId, TreeSet<Long>> locks = new LinkedHashMap<>();
    for (EntryOverlay.Touched held : overlay.heldInPre()) {
      locks
          .computeIfAbsent(held.index().shardOf(held.entry()), s -> new TreeSet<>())
          .add(held.index().keyLock(held.entry().identity()));
    }
    return CompletableFuture.allOf(
            locks.entrySet().stream()
                .map(each -> shareKeyLocks(mains.get(each.getKey()), each.getValue()))
                .toArray(CompletableFuture<?>[]::new))
        .thenCompose(before -> executeRemovals(false));
  }

  /** A key changes its holder: no order of plain commits is safe. */
  public boolean moves() {
    return !overlay.moved().isEmpty();
  }

  /** Something is written elsewhere than in a MAIN. */
  public boolean apart() {
    return !pre.isEmpty() || !overlay.toRemove().isEmpty() || moves();
  }

  /**
   * {@link #secure} for a commit in two phases: POST does all its work before it is prepared. Moved
   * entries come first, for the lock on an entry always comes before its key lock.
   */
  public CompletableFuture<Void> secureForPrepare(Map<ShardId, BackendConnection> mains) {
    for (EntryOverlay.Touched removal : overlay.toRemove()) {
      if (removal.preHolds()) {
        return CompletableFuture.failedFuture(
            EntryErrors.heldTwice(removal.index(), removal.entry()));
      }
    }
    CompletableFuture<Void> all = done();
    for (EntryOverlay.Moved moved : overlay.moved()) {
      all = all.thenCompose(before -> move(moved));
    }
    return all.thenCompose(before -> secure(mains));
  }

  /** Between the MAINs' commits and POST's the entry names a row that is gone. */
  private CompletableFuture<Void> move(EntryOverlay.Moved moved) {
    EntryStatement move = new EntrySql(moved.index()).move(moved.from(), moved.to());
    return tokens
        .mark(moved)
        .thenCompose(before -> post(moved.index().lookupShard(moved.from().identity())))
        .thenCompose(backend -> ServiceSessions.query(backend, move))
        .thenAccept(
            result -> {
              if (result.rows().size() != 1) {
                throw EntryErrors.contended(moved.index(), moved.to());
              }
            });
  }

  public Collection<BackendConnection> preBackends() {
    return List.copyOf(pre.values());
  }

  /** Complete after {@link #secureForPrepare}. */
  public Collection<BackendConnection> postBackends() {
    return List.copyOf(post.values());
  }

  private static CompletableFuture<?> shareKeyLocks(
      @Nullable BackendConnection main, Collection<Long> locks) {
    if (main == null) {
      return CompletableFuture.failedFuture(
          ErrorCode.INTERNAL.because("an entry is held for a shard that was not written"));
    }
    EntryStatement all = EntrySql.shareKeyLocks(locks);
    return ServiceSessions.query(main, all);
  }

  private CompletableFuture<Void> executeRemovals(boolean lockedByPre) {
    CompletableFuture<Void> all = done();
    for (EntryTokens.Group group : EntryTokens.groups(removals)) {
      if (group.preHolds() == lockedByPre) {
        EntrySql sql = new EntrySql(group.index());
        all =
            all.thenCompose(before -> post(group.lookup()))
                .thenCompose(
                    backend -> ServiceSessions.queryAll(backend, group.entries(), sql::deleteAll));
      }
    }
    return all;
  }

  /** Commits PRE; then executes the removals that PRE's own locks held up. */
  public CompletableFuture<Void> commitPre() {
    return commit(pre).thenCompose(before -> executeRemovals(true));
  }

  public CompletableFuture<Void> commitPost() {
    return commit(post);
  }

  private static CompletableFuture<Void> commit(Map<ShardId, BackendConnection> backends) {
    CompletableFuture<Void> all = done();
    for (BackendConnection backend : backends.values()) {
      all =
          all.thenCompose(before -> backend.query("COMMIT", List.of()))
              .thenAccept(result -> requireCommit(backend, result));
    }
    return all;
  }

  private static void requireCommit(BackendConnection backend, QueryResult result) {
    if (!result.tag().equals("COMMIT")) {
      throw ErrorCode.TX_ROLLED_BACK.because(
          "shard " + backend.shard() + " rolled the entries' transaction back");
    }
  }

  /** The backends of PRE and POST, for a rollback. */
  public Collection<BackendConnection> backends() {
    List<BackendConnection> all = new ArrayList<>(pre.values());
    all.addAll(post.values());
    return all;
  }

  /** Keys that PRE wrote: surplus when MAIN did not commit. */
  public void suspectAdded(Suspects suspects) {
    changes.claimed().forEach(suspects::record);
  }

  /** Keys whose removal was not committed: surplus when MAIN did. */
  public void suspectRemoved(Suspects suspects) {
    suspect(suspects, removals);
  }

  /** Keys whose removal or move did not come to be, and whose entries may have a token. */
  public void suspectMarked(Suspects suspects) {
    suspect(suspects, tokens.marked());
  }

  private static void suspect(Suspects suspects, List<EntryOverlay.Touched> entries) {
    Map<GsiName, TreeSet<Tuple>> keys = new HashMap<>();
    for (EntryOverlay.Touched each : entries) {
      keys.computeIfAbsent(each.index().name(), n -> new TreeSet<>()).add(each.entry().identity());
    }
    keys.forEach(suspects::record);
  }

  // --- sessions --------------------------------------------------------------------------------

  private CompletableFuture<BackendConnection> pre(ShardId shard) {
    return begun(pre, shard, BackendRole.PRE);
  }

  /** Opened at COMMIT for removals, and earlier where mappings are held for new rows. */
  private CompletableFuture<BackendConnection> post(ShardId shard) {
    return begun(post, shard, BackendRole.POST);
  }

  private CompletableFuture<BackendConnection> begun(
      Map<ShardId, BackendConnection> begun, ShardId shard, BackendRole role) {
    return sessions
        .enlist(shard, role)
        .thenApply(
            backend -> {
              begun.put(shard, backend);
              return backend;
            });
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
