package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.router.backend.BackendConnection;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;

/**
 * Checks that the mappings exist to which rows of a referrer point, and holds them until the rows
 * have committed (docs/decisions/0017-referrers.md).
 *
 * <h2>Why a held mapping stays</h2>
 *
 * The entry is locked FOR KEY SHARE in POST, which ends after every MAIN. An entry goes only by a
 * DELETE, in another transaction's POST or in a settlement, and both wait for that lock. Its owner
 * row was seen after the lock was taken, so a router that deletes it has not executed its removal
 * yet and will wait for us before its MAIN commits. What passes the lock, takeover and move, gives
 * the entry to another row and leaves the mapping.
 *
 * <h2>Why surplus does not count</h2>
 *
 * An entry whose owner row is not seen is either of a creator between PRE and the end of MAIN, who
 * has the key lock, or surplus. With the key lock taken exclusively after the entry's, a new
 * reading tells which.
 *
 * <h2>What is never sent</h2>
 *
 * POST would wait for ever for what PRE or MAIN of this transaction have changed. The overlay knows
 * those entries, and answers for them.
 */
final class MappingChecks {
  private static final int ROUNDS = 8;

  private final ServiceSessions sessions;
  private final EntryOverlay overlay;
  private final Function<ShardId, CompletableFuture<BackendConnection>> post;

  /**
   * @param post opens POST on a lookup's shard
   */
  MappingChecks(
      ServiceSessions sessions,
      EntryOverlay overlay,
      Function<ShardId, CompletableFuture<BackendConnection>> post) {
    this.sessions = sessions;
    this.overlay = overlay;
    this.post = post;
  }

  /** A mapping that is looked for. */
  private static final class Wanted {
    private final MappingRows.Found mapping;
    private final List<Tuple> except;
    private @Nullable Entry entry;
    private boolean surplus;

    Wanted(MappingRows.Found mapping, List<Tuple> except) {
      this.mapping = mapping;
      this.except = new ArrayList<>(except);
    }

    void held(List<List<@Nullable String>> rows, EntrySql sql) {
      entry = rows.isEmpty() ? null : sql.entry(rows.get(0));
    }

    ShardId lookupShard() {
      return mapping.index().lookupShard(mapping.key());
    }

    boolean unique() {
      return mapping.index().gsi().unique();
    }
  }

  /** Fails with what the client is told of the first mapping that does not exist. */
  CompletableFuture<Void> check(Collection<MappingRows.Found> mappings) {
    List<Wanted> asked = new ArrayList<>();
    for (MappingRows.Found mapping : ordered(mappings)) {
      EntryOverlay.Mapping known = overlay.mapping(mapping.index(), mapping.key());
      if (known.identity().isPresent()) {
        overlay.refer(mapping.index(), known.identity().get());
      } else if (mapping.index().gsi().unique() && !known.gone().isEmpty()) {
        return CompletableFuture.failedFuture(EntryErrors.mappingMissing(mapping));
      } else {
        asked.add(new Wanted(mapping, known.gone()));
      }
    }
    return round(asked, ROUNDS);
  }

  /** Each mapping once, in one order for all transactions. */
  private static Collection<MappingRows.Found> ordered(Collection<MappingRows.Found> mappings) {
    record Place(GsiName gsi, Tuple key) {}
    Map<Place, MappingRows.Found> each =
        new TreeMap<>(Comparator.comparing(Place::gsi).thenComparing(Place::key));
    mappings.forEach(m -> each.putIfAbsent(new Place(m.index().name(), m.key()), m));
    return each.values();
  }

  /** Holds an entry for each, then reads their owner rows; both without waiting in between. */
  private CompletableFuture<Void> round(List<Wanted> asked, int rounds) {
    if (asked.isEmpty()) {
      return done();
    } else if (rounds == 0) {
      MappingRows.Found first = asked.get(0).mapping;
      return CompletableFuture.failedFuture(EntryErrors.contendedKey(first.index(), first.key()));
    }
    return hold(asked)
        .thenCompose(held -> readOwners(withEntry(asked)))
        .thenCompose(read -> inTurn(asked, this::conclude))
        .thenCompose(
            concluded ->
                round(asked.stream().filter(wanted -> wanted.entry == null).toList(), rounds - 1));
  }

  private static List<Wanted> withEntry(List<Wanted> asked) {
    return asked.stream().filter(wanted -> wanted.entry != null).toList();
  }

  private CompletableFuture<Void> hold(List<Wanted> asked) {
    return opened(asked, wanted -> wanted.lookupShard(), post)
        .thenCompose(
            backends ->
                each(
                    asked,
                    wanted -> {
                      EntrySql sql = new EntrySql(wanted.mapping.index());
                      return ServiceSessions.query(
                              backends.apply(wanted),
                              sql.holdOne(wanted.mapping.key(), wanted.except))
                          .thenAccept(result -> wanted.held(result.rows(), sql));
                    }));
  }

  private CompletableFuture<Void> readOwners(List<Wanted> asked) {
    return opened(
            asked,
            wanted -> wanted.mapping.index().shardOf(entryOf(wanted)),
            shard -> sessions.acquire(shard, BackendRole.SERVICE))
        .thenCompose(
            backends ->
                each(
                    asked,
                    wanted ->
                        ServiceSessions.query(
                                backends.apply(wanted),
                                new EntrySql(wanted.mapping.index()).owner(entryOf(wanted)))
                            .thenAccept(result -> wanted.surplus = result.rows().isEmpty())));
  }

  /** One backend after the other, for the first use of each begins its transaction. */
  private static CompletableFuture<Function<Wanted, BackendConnection>> opened(
      List<Wanted> asked,
      Function<Wanted, ShardId> place,
      Function<ShardId, CompletableFuture<BackendConnection>> open) {
    Map<ShardId, BackendConnection> backends = new HashMap<>();
    CompletableFuture<Void> all = done();
    for (ShardId shard : new TreeSet<>(asked.stream().map(place).toList())) {
      all =
          all.thenCompose(before -> open.apply(shard))
              .thenAccept(backend -> backends.put(shard, backend));
    }
    return all.thenApply(
        opened -> wanted -> Objects.requireNonNull(backends.get(place.apply(wanted))));
  }

  private CompletableFuture<Void> conclude(Wanted wanted) {
    if (wanted.entry == null) {
      return repair(wanted);
    } else if (!wanted.surplus) {
      overlay.refer(wanted.mapping.index(), entryOf(wanted).identity());
      return done();
    }
    return post.apply(wanted.lookupShard())
        .thenCompose(
            backend ->
                AsyncSettlement.living(sessions, backend, wanted.mapping.index(), entryOf(wanted)))
        .thenAccept(outcome -> settled(wanted, outcome));
  }

  private void settled(Wanted wanted, Outcome outcome) {
    Entry entry = entryOf(wanted);
    if (outcome.kind() == Outcome.Kind.KEPT) {
      overlay.refer(wanted.mapping.index(), entry.identity());
    } else if (wanted.unique()) {
      throw EntryErrors.mappingMissing(wanted.mapping);
    } else {
      wanted.except.add(entry.identity());
      wanted.entry = null;
    }
  }

  /** No entry: an owner row that was written directly may be there, and gets one. */
  private CompletableFuture<Void> repair(Wanted wanted) {
    return findOwner(wanted)
        .thenCompose(
            owner -> {
              if (owner.isEmpty()) {
                throw EntryErrors.mappingMissing(wanted.mapping);
              }
              return sessions
                  .acquire(wanted.lookupShard(), BackendRole.AUDIT)
                  .thenCompose(
                      lookup ->
                          AsyncSettlement.repair(
                              sessions, lookup, wanted.mapping.index(), owner.get()));
            })
        .thenAccept(
            outcome -> {
              if (outcome.kind() == Outcome.Kind.ABSENT) {
                throw EntryErrors.mappingMissing(wanted.mapping);
              }
            });
  }

  private CompletableFuture<Optional<Entry>> findOwner(Wanted wanted) {
    EntrySql sql = new EntrySql(wanted.mapping.index());
    Map<ShardId, CompletableFuture<QueryResult>> answers = new LinkedHashMap<>();
    for (ShardId shard : wanted.mapping.index().ownerShards()) {
      answers.put(
          shard,
          sessions.query(
              shard, BackendRole.SERVICE, sql.ownerWithKey(wanted.mapping.key(), wanted.except)));
    }
    return CompletableFuture.allOf(answers.values().toArray(CompletableFuture<?>[]::new))
        .thenApply(
            all ->
                answers.values().stream()
                    .flatMap(answer -> answer.join().rows().stream())
                    .map(sql::entry)
                    .findFirst());
  }

  private static Entry entryOf(Wanted wanted) {
    return Optional.ofNullable(wanted.entry).orElseThrow();
  }

  /** Sent one behind the other; a backend answers in order. */
  private static CompletableFuture<Void> each(
      List<Wanted> asked, Function<Wanted, CompletableFuture<Void>> step) {
    return CompletableFuture.allOf(asked.stream().map(step).toArray(CompletableFuture<?>[]::new));
  }

  private static CompletableFuture<Void> inTurn(
      List<Wanted> asked, Function<Wanted, CompletableFuture<Void>> step) {
    CompletableFuture<Void> all = done();
    for (Wanted wanted : asked) {
      all = all.thenCompose(before -> step.apply(wanted));
    }
    return all;
  }

  private static CompletableFuture<Void> done() {
    return CompletableFuture.completedFuture(null);
  }
}
