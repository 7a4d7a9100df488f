package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
 * Makes in PRE and MAIN the changes of entries that a statement's rows ask for, many by one
 * statement.
 *
 * <h2>Batches</h2>
 *
 * Rows are taken in the order of their lookup shards and keys and cut into runs of which the
 * overlay says the same: a run has one index, one lookup shard, one backend, and no identity twice,
 * so that no row of it changes what the overlay would have said of the next. A run that PRE claims
 * takes three steps: all entries are inserted, those that exist being passed over; what is left and
 * names the very same owner is locked; what is left then has another owner, dead or alive, and is
 * settled one by one ({@link org.pgconcord.gsi.Settlement#claim}). Each step takes its locks in the
 * order of the keys.
 *
 * <h2>Two statements that want the same keys</h2>
 *
 * If both take all their keys in one order, the second waits for the first at the first key that
 * they share, and is then told of the duplicate. Small statements do so. A large one first takes
 * what is added in MAIN, then what PRE claims, since else nearly every row would be a run of its
 * own; and a key that exists for one of two statements and not yet for the other is locked in
 * another step. So two large statements with several common keys can meet crosswise. One of them
 * ends then as on a plain server that gets two lists of rows in opposite orders: as the victim of a
 * deadlock or at its lock timeout, and nothing of it is kept.
 */
final class EntryChanges {
  private static final int ROUNDS = 8;

  /** Rows up to which all are taken in one order. */
  private static final int SMALL = 64;

  private final ServiceSessions sessions;
  private final EntryOverlay overlay;
  private final Function<ShardId, CompletableFuture<BackendConnection>> pre;
  private final boolean twoPhase;
  private final String token;
  private final Map<GsiName, Set<Tuple>> claimed = new HashMap<>();

  /**
   * @param pre the backend of PRE on a shard, in its transaction
   * @param twoPhase the transaction can be committed in two phases, so that keys may move
   * @param token marks the entries of covering indexes that it writes
   */
  EntryChanges(
      ServiceSessions sessions,
      EntryOverlay overlay,
      Function<ShardId, CompletableFuture<BackendConnection>> pre,
      boolean twoPhase,
      String token) {
    this.token = token;
    this.sessions = sessions;
    this.overlay = overlay;
    this.pre = pre;
    this.twoPhase = twoPhase;
  }

  /** The identities that PRE has claimed. */
  Map<GsiName, Set<Tuple>> claimed() {
    return claimed;
  }

  /** Rows of one index of which the overlay says the same, and the MAIN that wrote them. */
  private record Run<K>(
      LookupIndex index, K kind, @Nullable BackendConnection main, List<Entry> entries) {
    BackendConnection inMain() {
      if (main == null) {
        throw ErrorCode.INTERNAL.because("an entry's row is on a shard that was not written");
      }
      return main;
    }
  }

  private interface Decision<K> {
    K of(LookupIndex index, Entry entry);
  }

  /** The first run; its identities are not there twice. */
  private static <K> Run<K> first(
      List<ReturnedRows.Found> rows, Map<ShardId, BackendConnection> mains, Decision<K> decision) {
    LookupIndex index = rows.get(0).index();
    K kind = decision.of(index, rows.get(0).entry());
    boolean inMain =
        kind == EntryOverlay.Adding.IN_MAIN || kind == EntryOverlay.Removing.UNDO_IN_MAIN;
    ShardId shard = index.shardOf(rows.get(0).entry());
    ShardId lookup = lookupShard(rows.get(0));
    Set<Tuple> identities = new HashSet<>();
    List<Entry> entries = new ArrayList<>();
    for (ReturnedRows.Found row : rows) {
      Entry entry = row.entry();
      boolean alike =
          row.index().name().equals(index.name())
              && decision.of(index, entry).equals(kind)
              && lookupShard(row).equals(lookup)
              && (!inMain || index.shardOf(entry).equals(shard))
              && identities.add(canonical(index, entry));
      if (!alike) {
        break;
      }
      entries.add(entry);
    }
    return new Run<>(index, kind, mains.get(shard), entries);
  }

  /** Equal for equal identities, whatever their text. */
  private static Tuple canonical(LookupIndex index, Entry entry) {
    return Tuple.of(
        new String(
            index.canonical(entry.identity()), java.nio.charset.StandardCharsets.ISO_8859_1));
  }

  private static <T> List<T> behind(List<T> rows, Run<?> run) {
    return rows.subList(run.entries().size(), rows.size());
  }

  // --- additions -------------------------------------------------------------------------------

  CompletableFuture<Void> add(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    List<ReturnedRows.Found> ordered = new ArrayList<>(rows);
    Comparator<ReturnedRows.Found> order = Comparator.comparing(row -> row.index().name());
    if (rows.size() > SMALL) {
      order = order.thenComparing(row -> !onOwnServer(row));
    }
    ordered.sort(
        order.thenComparing(row -> lookupShard(row)).thenComparing(row -> row.entry().identity()));
    return addAll(mains, ordered);
  }

  private static ShardId lookupShard(ReturnedRows.Found row) {
    return row.index().lookupShard(row.entry().identity());
  }

  private static boolean onOwnServer(ReturnedRows.Found row) {
    return lookupShard(row).equals(row.index().shardOf(row.entry()));
  }

  private CompletableFuture<Void> addAll(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    if (rows.isEmpty()) {
      return done();
    }
    Run<EntryOverlay.Adding> run = first(rows, mains, overlay::adding);
    return add(run).thenCompose(before -> addAll(mains, behind(rows, run)));
  }

  private CompletableFuture<Void> add(Run<EntryOverlay.Adding> run) {
    LookupIndex index = run.index();
    Entry entry = run.entries().get(0);
    return switch (run.kind()) {
      case DUPLICATE -> CompletableFuture.failedFuture(EntryErrors.duplicate(index, entry));
      case MOVES -> move(index, run.entries());
      case BLOCKED -> CompletableFuture.failedFuture(EntryErrors.writtenAndMoved(index, entry));
      case IN_MAIN -> addInMain(run.inMain(), index, run.entries());
      case CLAIM -> claim(index, run.entries());
    };
  }

  /** Nothing is sent before COMMIT: until then the entry names the row that is being deleted. */
  private CompletableFuture<Void> move(LookupIndex index, List<Entry> entries) {
    if (!twoPhase) {
      return CompletableFuture.failedFuture(EntryErrors.moves(index, entries.get(0)));
    }
    entries.forEach(entry -> overlay.added(index, entry, EntryOverlay.Hold.MOVED));
    return done();
  }

  // --- in PRE ----------------------------------------------------------------------------------

  /** A run's entries are on one lookup shard. */
  private static ShardId lookupShard(LookupIndex index, List<Entry> run) {
    return index.lookupShard(run.get(0).identity());
  }

  private CompletableFuture<Void> claim(LookupIndex index, List<Entry> entries) {
    EntrySql sql = new EntrySql(index, token);
    return pre.apply(lookupShard(index, entries))
        .thenCompose(
            backend ->
                entries.size() == 1
                    ? claimEach(backend, index, entries)
                    : take(backend, index, entries, sql::insertAll, EntryOverlay.Hold.PRE_ADDED)
                        .thenCompose(
                            rest ->
                                take(
                                    backend, index, rest, sql::lockAll, EntryOverlay.Hold.PRE_KEPT))
                        .thenCompose(rest -> claimEach(backend, index, rest)));
  }

  /** Runs a statement that says which of its entries it had; returns the others. */
  private CompletableFuture<List<Entry>> take(
      BackendConnection backend,
      LookupIndex index,
      List<Entry> entries,
      Function<List<Entry>, EntryStatement> statement,
      EntryOverlay.Hold hold) {
    List<Entry> rest = new ArrayList<>();
    CompletableFuture<Void> all = done();
    for (int from = 0; from < entries.size(); from += ServiceSessions.AT_ONCE) {
      List<Entry> part =
          entries.subList(from, Math.min(entries.size(), from + ServiceSessions.AT_ONCE));
      all =
          all.thenCompose(before -> ServiceSessions.query(backend, statement.apply(part)))
              .thenAccept(result -> rest.addAll(taken(index, part, result, hold)));
    }
    return all.thenApply(before -> rest);
  }

  private List<Entry> taken(
      LookupIndex index, List<Entry> part, QueryResult result, EntryOverlay.Hold hold) {
    List<@Nullable Entry> rest = new ArrayList<>(part);
    for (List<@Nullable String> row : result.rows()) {
      int at = Integer.parseInt(String.valueOf(row.get(0))) - 1;
      held(index, part.get(at), hold);
      rest.set(at, null);
    }
    List<Entry> left = new ArrayList<>();
    for (Entry entry : rest) {
      if (entry != null) {
        left.add(entry);
      }
    }
    return left;
  }

  private CompletableFuture<Void> claimEach(
      BackendConnection backend, LookupIndex index, List<Entry> entries) {
    CompletableFuture<Void> all = done();
    for (Entry entry : entries) {
      all =
          all.thenCompose(
                  before ->
                      AsyncSettlement.claim(
                          sessions, backend, index, entry, new EntrySql(index, token)))
              .thenAccept(outcome -> held(index, entry, hold(index, entry, outcome)));
    }
    return all;
  }

  private void held(LookupIndex index, Entry entry, EntryOverlay.Hold hold) {
    overlay.added(index, entry, hold);
    claimed.computeIfAbsent(index.name(), n -> new TreeSet<>()).add(entry.identity());
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

  // --- in MAIN ---------------------------------------------------------------------------------

  private CompletableFuture<Void> addInMain(
      BackendConnection main, LookupIndex index, List<Entry> entries) {
    EntrySql sql = new EntrySql(index);
    long limit = sessions.lockTimeout().toMillis();
    return inOrder(main, entries, part -> sql.addAllInMain(part, limit))
        .thenCompose(
            answers -> {
              List<Entry> taken = new ArrayList<>();
              for (int i = 0; i < entries.size(); i++) {
                if ("taken".equals(answers.get(i))) {
                  taken.add(entries.get(i));
                } else {
                  overlay.added(index, entries.get(i), EntryOverlay.Hold.MAIN);
                }
              }
              return settleEach(main, index, taken);
            });
  }

  /** Each entry's answer. */
  private static CompletableFuture<List<String>> inOrder(
      BackendConnection main,
      List<Entry> entries,
      Function<List<Entry>, EntryStatement> statement) {
    List<String> answers = new ArrayList<>();
    CompletableFuture<Void> all = done();
    for (int from = 0; from < entries.size(); from += ServiceSessions.AT_ONCE) {
      List<Entry> part =
          entries.subList(from, Math.min(entries.size(), from + ServiceSessions.AT_ONCE));
      all =
          all.thenCompose(before -> ServiceSessions.query(main, statement.apply(part)))
              .thenAccept(
                  result -> result.rows().forEach(row -> answers.add(String.valueOf(row.get(0)))));
    }
    return all.thenApply(before -> answers);
  }

  private CompletableFuture<Void> settleEach(
      BackendConnection main, LookupIndex index, List<Entry> entries) {
    CompletableFuture<Void> all = done();
    for (Entry entry : entries) {
      all = all.thenCompose(before -> settleTaken(main, index, entry, ROUNDS));
    }
    return all;
  }

  private CompletableFuture<Void> settleTaken(
      BackendConnection main, LookupIndex index, Entry entry, int rounds) {
    if (rounds == 0) {
      return CompletableFuture.failedFuture(EntryErrors.contended(index, entry));
    }
    return sessions
        .acquire(index.lookupShard(entry.identity()), BackendRole.AUDIT)
        .thenCompose(lookup -> AsyncSettlement.audit(sessions, lookup, index, entry.identity()))
        .thenCompose(
            outcome ->
                switch (outcome.kind()) {
                  case KEPT, DUPLICATE ->
                      CompletableFuture.<Void>failedFuture(EntryErrors.duplicate(index, entry));
                  case UNSETTLED ->
                      CompletableFuture.failedFuture(EntryErrors.contended(index, entry));
                  case ADDED, TAKEN_OVER, REMOVED, ABSENT ->
                      addAgain(main, index, entry, rounds - 1);
                });
  }

  private CompletableFuture<Void> addAgain(
      BackendConnection main, LookupIndex index, Entry entry, int rounds) {
    EntryStatement add = new EntrySql(index).addInMain(entry, sessions.lockTimeout().toMillis());
    return ServiceSessions.query(main, add)
        .thenCompose(
            result -> {
              if ("taken".equals(result.rows().get(0).get(0))) {
                return settleTaken(main, index, entry, rounds);
              }
              overlay.added(index, entry, EntryOverlay.Hold.MAIN);
              return done();
            });
  }

  // --- removals --------------------------------------------------------------------------------

  CompletableFuture<Void> remove(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    List<ReturnedRows.Found> ordered = new ArrayList<>(rows);
    Comparator<ReturnedRows.Found> order = Comparator.comparing(row -> row.index().name());
    ordered.sort(order.thenComparing(row -> lookupShard(row)));
    return removeAll(mains, ordered);
  }

  private CompletableFuture<Void> removeAll(
      Map<ShardId, BackendConnection> mains, List<ReturnedRows.Found> rows) {
    if (rows.isEmpty()) {
      return done();
    }
    Run<EntryOverlay.Removing> run = first(rows, mains, overlay::removing);
    return remove(run).thenCompose(before -> removeAll(mains, behind(rows, run)));
  }

  private CompletableFuture<Void> remove(Run<EntryOverlay.Removing> run) {
    LookupIndex index = run.index();
    EntrySql sql = new EntrySql(index);
    return switch (run.kind()) {
      case AT_COMMIT -> {
        run.entries().forEach(entry -> overlay.removed(index, entry, false));
        yield done();
      }
      case DELETE_IN_PRE ->
          pre.apply(lookupShard(index, run.entries()))
              .thenCompose(
                  backend -> ServiceSessions.queryAll(backend, run.entries(), sql::deleteAll))
              .thenAccept(
                  before -> run.entries().forEach(entry -> overlay.removed(index, entry, true)));
      case UNDO_IN_MAIN ->
          inOrder(run.inMain(), run.entries(), sql::undoAllInMain)
              .thenAccept(
                  answers -> {
                    for (int i = 0; i < run.entries().size(); i++) {
                      overlay.removed(index, run.entries().get(i), "t".equals(answers.get(i)));
                    }
                  });
    };
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
