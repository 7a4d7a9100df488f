package org.pgconcord.daemon.build;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.cdc.apply.DuplicateListener;
import org.pgconcord.cdc.apply.Tails;
import org.pgconcord.config.catalog.Catalog;
import org.pgconcord.config.catalog.Conflict;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys with several owners, from the backfill and from the streams: listed in the catalog, where
 * they block enabling, and the owners without entry parked, so that one of them gets the entry when
 * the key's holder goes. Any thread; repetitions change nothing.
 */
public final class FoundOwners {
  private static final Logger log = LoggerFactory.getLogger(FoundOwners.class);
  private static final int LOGGED_MAX = 20;

  private final Catalog catalog;
  private final AtomicLong logged = new AtomicLong();

  public FoundOwners(Catalog catalog) {
    this.catalog = catalog;
  }

  /** What a backfill of this index finds. */
  BuildFindings ofBackfill(LookupIndex index, Tails tails) {
    return new BuildFindings() {
      @Override
      public void nullViolation(GsiName gsi, NullViolation violation) {
        if (logged.incrementAndGet() <= LOGGED_MAX) {
          log.warn(
              "owner row without key gsi={} shard={} column={} primary_key={}",
              gsi,
              violation.shard(),
              violation.column(),
              violation.primaryKey());
        }
      }

      @Override
      public void duplicate(GsiName gsi, DuplicateKey duplicate) {
        catalog.addConflicts(gsi, conflicts(index, duplicate));
        Tuple holder = duplicate.owners().get(0).holder();
        for (Owner owner : duplicate.owners().subList(1, duplicate.owners().size())) {
          tails.park(index, owner.shard(), new Entry(duplicate.identity(), owner.holder()), holder);
        }
        tell(gsi, duplicate.owners().size());
      }
    };
  }

  /** What the streams find. */
  public DuplicateListener ofStreams() {
    return new DuplicateListener() {
      @Override
      public void found(LookupIndex index, Entry second, Tuple holder) {
        Entry first = new Entry(second.identity(), holder);
        catalog.addConflicts(
            index.name(),
            List.of(
                conflict(index, first, index.shardOf(first), ""),
                conflict(index, second, index.shardOf(second), "")));
        tell(index.name(), 2);
      }

      @Override
      public void gone(LookupIndex index, Entry second) {
        catalog.resolveConflict(index.name(), second.identity().stored());
      }
    };
  }

  private void tell(GsiName gsi, int owners) {
    if (logged.incrementAndGet() <= LOGGED_MAX) {
      log.warn("one key has several owner rows gsi={} owners={}", gsi, owners);
    }
  }

  private static List<Conflict> conflicts(LookupIndex index, BuildFindings.DuplicateKey duplicate) {
    List<Conflict> conflicts = new ArrayList<>();
    for (BuildFindings.Owner owner : duplicate.owners()) {
      List<String> rows =
          owner.primaryKeys().isEmpty()
              ? List.of("")
              : owner.primaryKeys().stream()
                  .map(key -> "(" + String.join(", ", key) + ")")
                  .toList();
      for (String row : rows) {
        Entry entry = new Entry(duplicate.identity(), owner.holder());
        conflicts.add(conflict(index, entry, owner.shard(), row));
      }
    }
    return conflicts;
  }

  private static Conflict conflict(LookupIndex index, Entry entry, ShardId shard, String row) {
    return new Conflict(entry.identity().stored(), shard, index.shardKeyOf(entry).toString(), row);
  }
}
