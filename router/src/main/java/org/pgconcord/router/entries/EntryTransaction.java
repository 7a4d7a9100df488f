package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;

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
 *       duplicate fails the statement that made it. Multi-row writes claim in the order of their
 *       keys, so that two of them do not meet crosswise.
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
  private static final int ROUNDS = 8;
  private static final int ENTRIES_MAX = 100_000;

  private final ServiceSessions sessions;
  private final boolean twoPhase;
  private final EntryOverlay overlay = new EntryOverlay();
  private final Map<ShardId, BackendConnection> pre = new LinkedHashMap<>();
  private final Map<ShardId, BackendConnection> post = new LinkedHashMap<>();
  private final Map<GsiName, TreeSet<Tuple>> added = new HashMap<>();
  private List<EntryOverlay.Touched> removals = List.of();

  /**
   * @param twoPhase the transaction can be committed in two phases, so that keys may move
   */
  public EntryTransaction(ServiceSessions sessions, boolean twoPhase) {
    this.sessions = sessions;
    this.twoPhase = twoPhase;
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
   * Secures the entries of rows that MAINs have just written; fails with what the client is told.
   *
   * @param mains the backends of the rows' shards
   */
  public CompletableFuture<Void> add(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    List<ReturnedRows.Found> ordered = new ArrayList<>(rows);
    ordered.sort(
        Comparator.comparing((ReturnedRows.Found f) -> f.index().name())
            .thenComparing(f -> f.entry().identity()));
    requireBounded((long) overlay.size() + rows.size());
    CompletableFuture<Void> all = done();
    for (ReturnedRows.Found row : ordered) {
      all = all.thenCompose(before -> addOne(main(mains, row), row.index(), row.entry()));
    }
    return all;
  }

  private static BackendConnection main(
      Map<ShardId, BackendConnection> mains, ReturnedRows.Found row) {
    BackendConnection main = mains.get(row.index().shardOf(row.entry()));
    if (main == null) {
      throw ErrorCode.INTERNAL.because("an entry's row is on a shard that was not written");
    }
    return main;
  }

  /**
   * Keeps the entries that one transaction holds in memory within bounds.
   *
   * @throws ConcordException when there are more than that
   */
  public static void requireBounded(long entries) {
    if (entries > ENTRIES_MAX) {
      throw ErrorCode.WRITE_TOO_MANY_ENTRIES.because(
          "a transaction changes entries of more than %,d rows".formatted(ENTRIES_MAX));
    }
  }

  private CompletableFuture<Void> addOne(BackendConnection main, LookupIndex index, Entry entry) {
    return switch (overlay.adding(index, entry)) {
      case DUPLICATE -> CompletableFuture.failedFuture(EntryErrors.duplicate(index, entry));
      case MOVES -> move(index, entry);
      case BLOCKED -> CompletableFuture.failedFuture(EntryErrors.moves(index, entry));
      case IN_MAIN -> addInMain(main, index, entry, ROUNDS);
      case CLAIM -> claim(index, entry);
    };
  }

  /** Nothing is sent before COMMIT: until then the entry names the row that is being deleted. */
  private CompletableFuture<Void> move(LookupIndex index, Entry entry) {
    if (!twoPhase) {
      return CompletableFuture.failedFuture(EntryErrors.moves(index, entry));
    }
    overlay.added(index, entry, EntryOverlay.Hold.MOVED);
    return done();
  }

  private CompletableFuture<Void> claim(LookupIndex index, Entry entry) {
    return pre(index.lookupShard())
        .thenCompose(backend -> AsyncSettlement.claim(sessions, backend, index, entry))
        .thenAccept(
            outcome -> {
              overlay.added(index, entry, hold(index, entry, outcome));
              added.computeIfAbsent(index.name(), n -> new TreeSet<>()).add(entry.identity());
            });
  }

  private static EntryOverlay.Hold hold(LookupIndex index, Entry entry, Outcome outcome) {
    return switch (outcome.kind()) {
      case ADDED -> EntryOverlay.Hold.PRE_ADDED;
      case KEPT -> EntryOverlay.Hold.PRE_KEPT;
      case TAKEN_OVER -> EntryOverlay.Hold.PRE_TAKEN;
      case DUPLICATE -> throw EntryErrors.duplicate(index, entry);
      case REMOVED, ABSENT, UNSETTLED -> throw EntryErrors.contended(index, entry);
    };
  }

  private CompletableFuture<Void> addInMain(
      BackendConnection main, LookupIndex index, Entry entry, int rounds) {
    EntryStatement add = new EntrySql(index).addInMain(entry, sessions.lockTimeout().toMillis());
    return ServiceSessions.query(main, add)
        .thenCompose(
            result -> {
              if (!"taken".equals(result.rows().get(0).get(0))) {
                overlay.added(index, entry, EntryOverlay.Hold.MAIN);
                return done();
              }
              return settleTaken(main, index, entry, rounds);
            });
  }

  private CompletableFuture<Void> settleTaken(
      BackendConnection main, LookupIndex index, Entry entry, int rounds) {
    if (rounds == 0) {
      return CompletableFuture.failedFuture(EntryErrors.contended(index, entry));
    }
    return sessions
        .acquire(index.lookupShard(), BackendRole.AUDIT)
        .thenCompose(lookup -> AsyncSettlement.audit(sessions, lookup, index, entry.identity()))
        .thenCompose(
            outcome ->
                switch (outcome.kind()) {
                  case KEPT, DUPLICATE ->
                      CompletableFuture.<Void>failedFuture(EntryErrors.duplicate(index, entry));
                  case UNSETTLED ->
                      CompletableFuture.failedFuture(EntryErrors.contended(index, entry));
                  case ADDED, TAKEN_OVER, REMOVED, ABSENT ->
                      addInMain(main, index, entry, rounds - 1);
                });
  }

  /** Notes the entries of rows that MAIN has just deleted. */
  public CompletableFuture<Void> remove(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    requireBounded((long) overlay.size() + rows.size());
    CompletableFuture<Void> all = done();
    for (ReturnedRows.Found row : rows) {
      all = all.thenCompose(before -> removeOne(main(mains, row), row.index(), row.entry()));
    }
    return all;
  }

  private CompletableFuture<Void> removeOne(
      BackendConnection main, LookupIndex index, Entry entry) {
    EntrySql sql = new EntrySql(index);
    CompletableFuture<Boolean> gone =
        switch (overlay.removing(index, entry)) {
          case AT_COMMIT -> CompletableFuture.completedFuture(false);
          case DELETE_IN_PRE ->
              pre(index.lookupShard())
                  .thenCompose(backend -> ServiceSessions.query(backend, sql.delete(entry)))
                  .thenApply(result -> true);
          case UNDO_IN_MAIN ->
              ServiceSessions.query(main, sql.undoInMain(entry))
                  .thenApply(result -> "t".equals(result.rows().get(0).get(0)));
        };
    return gone.thenAccept(entryGone -> overlay.removed(index, entry, entryGone));
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

  private CompletableFuture<Void> move(EntryOverlay.Moved moved) {
    EntryStatement move = new EntrySql(moved.index()).move(moved.from(), moved.to());
    return post(moved.index().lookupShard())
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
    Map<ShardId, List<EntryStatement>> deletes = new LinkedHashMap<>();
    for (EntryOverlay.Touched removal : removals) {
      if (removal.preHolds() == lockedByPre) {
        deletes
            .computeIfAbsent(removal.index().lookupShard(), shard -> new ArrayList<>())
            .add(new EntrySql(removal.index()).delete(removal.entry()));
      }
    }
    CompletableFuture<Void> all = done();
    for (Map.Entry<ShardId, List<EntryStatement>> each : deletes.entrySet()) {
      all =
          all.thenCompose(before -> post(each.getKey()))
              .thenCompose(backend -> sendAll(backend, each.getValue()));
    }
    return all;
  }

  private static CompletableFuture<Void> sendAll(
      BackendConnection backend, List<EntryStatement> statements) {
    return CompletableFuture.allOf(
        statements.stream()
            .map(statement -> ServiceSessions.query(backend, statement))
            .toArray(CompletableFuture<?>[]::new));
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
    added.forEach(suspects::record);
  }

  /** Keys whose removal was not committed: surplus when MAIN did. */
  public void suspectRemoved(Suspects suspects) {
    Map<GsiName, TreeSet<Tuple>> keys = new HashMap<>();
    for (EntryOverlay.Touched removal : removals) {
      keys.computeIfAbsent(removal.index().name(), n -> new TreeSet<>())
          .add(removal.entry().identity());
    }
    keys.forEach(suspects::record);
  }

  // --- sessions --------------------------------------------------------------------------------

  private CompletableFuture<BackendConnection> pre(ShardId shard) {
    return begun(pre, shard, BackendRole.PRE);
  }

  /** Opened at COMMIT only, after the last savepoint has lost its meaning. */
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
