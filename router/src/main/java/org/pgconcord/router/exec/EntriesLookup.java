package org.pgconcord.router.exec;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntrySql;
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
  private final Execution execution;
  private final LookupIndex index;
  private final long planned;
  private final EntryLookup.Found found;
  private final Set<Tuple> shardKeys = new LinkedHashSet<>();
  private long rows;
  private boolean usable = true;

  EntriesLookup(Execution execution, LookupRead read, EntryLookup.Found found) {
    this.execution = execution;
    this.index = read.index();
    this.planned = read.epoch();
    this.found = found;
  }

  void find(Set<Tuple> keys) {
    Optional<EntryTransaction> own =
        execution.tx().changedEntries().filter(entries -> entries.touches(index));
    if (own.isPresent() && !index.gsi().unique()) {
      found.unusable();
      return;
    }
    Map<ShardId, List<Tuple>> asked = new LinkedHashMap<>();
    for (Tuple key : keys) {
      if (own.isEmpty() || !known(own.get(), key)) {
        asked.computeIfAbsent(index.lookupShard(key), shard -> new ArrayList<>()).add(key);
      }
    }
    EntrySql sql = new EntrySql(index);
    CompletableFuture<?>[] answers =
        asked.entrySet().stream()
            .map(
                each ->
                    execution
                        .session()
                        .serviceSessions()
                        .query(
                            each.getKey(),
                            BackendRole.SERVICE,
                            sql.readAllWithEpoch(each.getValue()))
                        .thenAccept(this::looked))
            .toArray(CompletableFuture<?>[]::new);
    execution.then(CompletableFuture.allOf(answers), done -> tell());
  }

  /** Whether the transaction has written or deleted the row with this key. */
  private boolean known(EntryTransaction own, Tuple key) {
    Optional<Tuple> written = own.written(index, key);
    written.ifPresent(
        holder -> {
          shardKeys.add(index.shardKeyOf(new Entry(key, holder)));
          rows++;
        });
    return written.isPresent() || own.deleted(index, key);
  }

  private void looked(QueryResult result) {
    List<List<@Nullable String>> answer = result.rows();
    if (EntryLookup.isPast(answer.get(0).get(0), planned) || answer.size() > EntrySql.READ_MOST) {
      usable = false;
      return;
    }
    for (List<@Nullable String> row : answer) {
      String count = row.get(1);
      if (count != null) {
        rows += Long.parseLong(count);
        shardKeys.add(new Tuple(row.subList(2, row.size())));
      }
    }
  }

  private void tell() {
    if (!usable) {
      found.unusable();
    } else if (shardKeys.isEmpty()) {
      found.nothing();
    } else {
      found.several(shardKeys, index.gsi().unique() ? rows : 0);
    }
  }
}
