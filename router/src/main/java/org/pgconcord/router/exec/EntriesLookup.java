package org.pgconcord.router.exec;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
import org.pgconcord.gsi.EntryStatement;
import org.pgconcord.gsi.KeysSql;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.router.backend.BackendRole;
import org.pgconcord.router.backend.QueryResult;
import org.pgconcord.router.entries.EntryTransaction;
import org.pgconcord.router.plan.LookupRead;

/**
 * Where the rows with any of several keys are: one statement on each shard that has entries of
 * them. What the transaction itself has written or deleted it knows without a lookup, as for a lone
 * key ({@link EntryLookup}).
 */
final class EntriesLookup {
  /** Where an entry of this version says that the row with this key is. */
  private record Named(Tuple key, Tuple shardKey, String version) {}

  private final Execution execution;
  private final LookupIndex index;
  private final KeysSql sql;
  private final long planned;
  private final EntryLookup.Found found;
  private final Set<Tuple> shardKeys = new LinkedHashSet<>();

  /** By {@link #canonical} key; of a unique index, without the rows of this transaction. */
  private final Map<String, Named> named = new LinkedHashMap<>();

  /** Rows that this transaction has written. */
  private final List<Named> own = new ArrayList<>();

  private long rows;
  private boolean usable = true;

  EntriesLookup(Execution execution, LookupRead read, EntryLookup.Found found) {
    this.execution = execution;
    this.index = read.index();
    this.sql = new KeysSql(index);
    this.planned = read.epoch();
    this.found = found;
  }

  void find(Set<Tuple> keys) {
    Optional<EntryTransaction> changed =
        execution.tx().changedEntries().filter(entries -> entries.touches(index));
    if (changed.isPresent() && !index.gsi().unique()) {
      found.unusable();
      return;
    }
    List<Tuple> asked =
        keys.stream().filter(key -> changed.isEmpty() || !known(changed.get(), key)).toList();
    Function<List<Tuple>, EntryStatement> statement =
        index.gsi().unique() ? sql::eachWithEpoch : sql::shardKeysWithEpoch;
    execution.then(
        onLookupShards(asked, statement),
        answers -> {
          answers.forEach(this::looked);
          tell();
        });
  }

  /** Whether the transaction has written or deleted the row with this key. */
  private boolean known(EntryTransaction changed, Tuple key) {
    Optional<Tuple> written = changed.written(index, key);
    written.ifPresent(
        holder -> {
          Named one = new Named(key, index.shardKeyOf(new Entry(key, holder)), "");
          own.add(one);
          shardKeys.add(one.shardKey());
          rows++;
        });
    return written.isPresent() || changed.deleted(index, key);
  }

  private CompletableFuture<List<QueryResult>> onLookupShards(
      Collection<Tuple> keys, Function<List<Tuple>, EntryStatement> statement) {
    Map<ShardId, List<Tuple>> asked =
        keys.stream()
            .collect(
                Collectors.groupingBy(index::lookupShard, LinkedHashMap::new, Collectors.toList()));
    List<CompletableFuture<QueryResult>> answers = new ArrayList<>();
    asked.forEach((shard, some) -> answers.add(ask(shard, statement.apply(some))));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  private CompletableFuture<QueryResult> ask(ShardId shard, EntryStatement statement) {
    return execution.session().serviceSessions().query(shard, BackendRole.SERVICE, statement);
  }

  private void looked(QueryResult result) {
    List<List<@Nullable String>> answer = result.rows();
    if (EntryLookup.isPast(answer.get(0).get(0), planned) || answer.size() > EntrySql.READ_MOST) {
      usable = false;
      return;
    }
    for (List<@Nullable String> row : answer) {
      String first = row.get(1);
      if (first != null && index.gsi().unique()) {
        Named one = named(row.subList(1, row.size()));
        named.put(canonical(one.key()), one);
        shardKeys.add(one.shardKey());
        rows++;
      } else if (first != null) {
        rows += Long.parseLong(first);
        shardKeys.add(new Tuple(row.subList(2, row.size())));
      }
    }
  }

  private Named named(List<@Nullable String> row) {
    int keys = index.key().size();
    int version = row.size() - 1;
    return new Named(
        tuple(row.subList(0, keys)),
        tuple(row.subList(keys, version)),
        String.valueOf(row.get(version)));
  }

  /** The columns of a lookup table are NOT NULL. */
  private static Tuple tuple(List<@Nullable String> columns) {
    return new Tuple(columns.stream().map(String::valueOf).toList());
  }

  /** Equal for equal keys, whatever their text. */
  private String canonical(Tuple key) {
    return new String(index.canonicalKey(key), ISO_8859_1);
  }

  private void tell() {
    if (!usable || !EntryLookup.holds(execution, index)) {
      found.unusable();
    } else if (shardKeys.isEmpty()) {
      found.nothing();
    } else {
      found.several(this, shardKeys, index.gsi().unique() ? rows : 0);
    }
  }

  /** Of a unique index: shard key and key of each row, one behind the other. */
  List<Tuple> pairs() {
    return Stream.concat(own.stream(), named.values().stream())
        .map(one -> one.shardKey().then(one.key()))
        .toList();
  }

  // --- a second look ---------------------------------------------------------------------------

  /**
   * Reads the entries again of keys whose rows were not where they led, after what is under way
   * with them.
   *
   * @param found keys whose rows were found, or were seen to be what they are
   * @return by key, the shard keys that entries name which have been changed
   */
  CompletableFuture<Map<Tuple, Tuple>> again(Collection<Tuple> found) {
    Map<String, Named> missing = new LinkedHashMap<>(named);
    found.forEach(key -> missing.remove(canonical(key)));
    if (missing.isEmpty()) {
      return CompletableFuture.completedFuture(Map.of());
    }
    return onLookupShards(missing.values().stream().map(Named::key).toList(), sql::eachUnchanging)
        .thenCompose(answers -> waitedFor(missing, answers))
        .thenApply(execution.tx().ground()::checked);
  }

  /**
   * One key after the other where something is under way: a statement that waits while it holds
   * other entries could be part of a deadlock.
   */
  private CompletableFuture<Map<Tuple, Tuple>> waitedFor(
      Map<String, Named> missing, List<QueryResult> unchanging) {
    List<Named> now = new ArrayList<>();
    Map<String, Named> rest = new LinkedHashMap<>(missing);
    for (QueryResult result : unchanging) {
      for (List<@Nullable String> row : result.rows()) {
        Named one = named(row);
        now.add(one);
        rest.remove(canonical(one.key()));
      }
    }
    EntrySql single = new EntrySql(index);
    CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
    for (Named before : rest.values()) {
      all =
          all.thenCompose(
                  done ->
                      ask(
                          index.lookupShard(before.key()),
                          single.readVersionForShare(before.key())))
              .thenAccept(
                  result ->
                      result.rows().forEach(row -> now.add(locked(before.key(), row, single))));
    }
    return all.thenApply(done -> moved(missing, now));
  }

  private Named locked(Tuple key, List<@Nullable String> row, EntrySql sql) {
    Tuple holder = sql.holder(row.subList(1, row.size()));
    return new Named(key, index.shardKeyOf(new Entry(key, holder)), String.valueOf(row.get(0)));
  }

  /**
   * What is gone is not looked for any more; what nobody has changed has been looked for where it
   * is. A row can be where it was, and have been elsewhere meanwhile.
   */
  private Map<Tuple, Tuple> moved(Map<String, Named> missing, List<Named> now) {
    missing.keySet().forEach(named::remove);
    Map<Tuple, Tuple> moved = new HashMap<>();
    for (Named one : now) {
      Named before = missing.get(canonical(one.key()));
      if (before != null && !before.version().equals(one.version())) {
        named.put(canonical(one.key()), one);
        moved.put(one.key(), one.shardKey());
      }
    }
    return moved;
  }
}
