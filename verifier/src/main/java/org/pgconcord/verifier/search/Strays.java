package org.pgconcord.verifier.search;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.SettlementRunner;
import org.pgconcord.verifier.correct.ServerSnapshot;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.correct.Together;
import org.pgconcord.verifier.sum.EntrySet;
import org.pgconcord.verifier.sum.Sums;

/**
 * Entries of a sharded lookup table that are on another shard than their key's. Sums over all
 * lookup shards do not tell places apart and the servers do not know the routing functions, so the
 * keys are read and routed here; then the union being right means that each shard's part is.
 *
 * @param found such entries
 * @param complete false when there are so many that the rest was not looked for
 */
public record Strays(List<Stray> found, boolean complete) {
  /** A lookup table on one shard has none. */
  public static final Strays NONE = new Strays(List.of(), true);

  private static final int MOST = 50_000;

  public Strays {
    found = List.copyOf(found);
  }

  /** An entry, and the lookup shard on which it does not belong. */
  public record Stray(ShardId shard, Entry entry) {}

  /** Those in the snapshots of the lookup shards. */
  static Strays in(SnapshotSet snapshots, LookupIndex index, ExecutorService threads)
      throws SQLException, InterruptedException {
    if (index.lookupShardKey().isEmpty()) {
      return NONE;
    }
    List<Callable<List<Stray>>> tasks = new ArrayList<>();
    for (ServerSnapshot lookup : snapshots.lookups().values()) {
      tasks.add(() -> on(lookup.shard(), lookup.transaction(), index));
    }
    List<Stray> all = new ArrayList<>();
    Together.run(threads, tasks).forEach(all::addAll);
    boolean complete = all.size() <= MOST;
    return new Strays(complete ? all : all.subList(0, MOST), complete);
  }

  private static List<Stray> on(ShardId shard, Connection snapshot, LookupIndex index)
      throws SQLException {
    List<Stray> strays = new ArrayList<>();
    Sums.fetch(
        snapshot,
        EntrySet.lookup(index),
        Integer.MAX_VALUE,
        entry -> {
          if (strays.size() <= MOST && !index.lookupShard(entry.identity()).equals(shard)) {
            strays.add(new Stray(shard, entry));
          }
        });
    return strays;
  }

  /** Those that are still there: what was removed meanwhile does not count. */
  public Strays still(LookupIndex index, SettlementRunner.Sessions sessions) throws SQLException {
    Map<ShardId, List<Stray>> byShard = new TreeMap<>();
    found.forEach(one -> byShard.computeIfAbsent(one.shard(), s -> new ArrayList<>()).add(one));
    List<Stray> still = new ArrayList<>();
    for (Map.Entry<ShardId, List<Stray>> each : byShard.entrySet()) {
      Set<Entry> there = new HashSet<>();
      EntrySet same =
          EntrySet.lookup(index)
              .of(each.getValue().stream().map(stray -> stray.entry().identity()).toList());
      try (Connection session = sessions.open(each.getKey())) {
        Sums.fetch(session, same, Integer.MAX_VALUE, there::add);
      }
      each.getValue().stream().filter(one -> there.contains(one.entry())).forEach(still::add);
    }
    return new Strays(still, complete);
  }

  List<Entry> entries() {
    return found.stream().map(Stray::entry).toList();
  }
}
