package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;

/**
 * The tokens of one transaction on entries of covering indexes: what they say, and why an entry
 * without one may answer, is in {@code docs/decisions/0018-covering-reads.md}. New entries get
 * theirs where they are written ({@link EntryChanges}).
 *
 * <p>A mark is committed at once, by a backend of its own: before PRE and the MAINs are. It can
 * wait only for whoever has the entry locked: a settlement, or another writer's claim, and neither
 * waits for this transaction with the entry in hand.
 */
final class EntryTokens {
  private final ServiceSessions sessions;
  private final String token;
  private final List<EntryOverlay.Touched> marked = new ArrayList<>();

  EntryTokens(ServiceSessions sessions, String token) {
    this.sessions = sessions;
    this.token = token;
  }

  /** Entries of one index on one lookup shard, that PRE has locked or not. */
  record Group(LookupIndex index, ShardId lookup, boolean preHolds, List<Entry> entries) {}

  static List<Group> groups(List<EntryOverlay.Touched> entries) {
    record Place(GsiName gsi, ShardId lookup, boolean preHolds) {}
    Map<Place, Group> groups = new LinkedHashMap<>();
    for (EntryOverlay.Touched each : entries) {
      ShardId lookup = each.index().lookupShard(each.entry().identity());
      groups
          .computeIfAbsent(
              new Place(each.index().name(), lookup, each.preHolds()),
              place -> new Group(each.index(), lookup, each.preHolds(), new ArrayList<>()))
          .entries()
          .add(each.entry());
    }
    return List.copyOf(groups.values());
  }

  /** Entries that have had a mark, or may have. */
  List<EntryOverlay.Touched> marked() {
    return marked;
  }

  /**
   * Marks entries whose rows go. Those that PRE has locked get the mark in PRE, which is as early.
   *
   * @param pre the backend of PRE on a shard, in its transaction
   */
  CompletableFuture<Void> mark(
      List<EntryOverlay.Touched> removals,
      Function<ShardId, CompletableFuture<BackendConnection>> pre) {
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Group group : groups(covering(removals))) {
      EntrySql sql = new EntrySql(group.index(), token);
      all =
          all.thenCompose(
                  before ->
                      group.preHolds()
                          ? pre.apply(group.lookup())
                          : sessions.acquire(group.lookup(), BackendRole.SERVICE))
              .thenCompose(
                  backend -> ServiceSessions.queryAll(backend, group.entries(), sql::mark));
    }
    marked.addAll(covering(removals));
    return all;
  }

  /** Marks an entry that POST gives to another row. */
  CompletableFuture<Void> mark(EntryOverlay.Moved moved) {
    return mark(
        List.of(new EntryOverlay.Touched(moved.index(), moved.from(), false)),
        shard -> sessions.acquire(shard, BackendRole.SERVICE));
  }

  private static List<EntryOverlay.Touched> covering(List<EntryOverlay.Touched> entries) {
    return entries.stream().filter(each -> each.index().gsi().covering()).toList();
  }

  /**
   * Takes the tokens off the entries that PRE wrote, when all is committed and visible. Not waited
   * for; a token that stays costs a look at the owner row until a settlement takes it off. By the
   * backend of PRE, which is open: so it is on its way before the client hears of the commit, and
   * may end its session.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  void clear(List<EntryOverlay.Touched> written) {
    for (Group group : groups(covering(written))) {
      if (group.preHolds()) {
        EntrySql sql = new EntrySql(group.index(), token);
        sessions
            .acquire(group.lookup(), BackendRole.PRE)
            .thenCompose(backend -> ServiceSessions.queryAll(backend, group.entries(), sql::clear));
      }
    }
  }
}
