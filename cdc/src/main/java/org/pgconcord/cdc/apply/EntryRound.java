package org.pgconcord.cdc.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;

/**
 * The net effect of consecutive row changes on one lookup table: signed counts of entries, equal
 * ones cancelled byte by byte. What remains is all removals, then all additions.
 *
 * <p>Putting removals first is right because the changes come in commit order from one shard: the
 * sums are what the shard's rows own after them, whatever happened in between. It would hide one
 * thing, two rows that own one key at the same time; so a round refuses ({@link #fits}) the second
 * owner of a key, and the next round, applied after this one, meets the first as a conflict.
 */
final class EntryRound {
  private static final Comparator<Entry> BY_KEY =
      Comparator.comparing(Entry::key).thenComparing(Entry::shardKey);

  private final Map<Entry, Integer> counts = new LinkedHashMap<>();
  private final Map<String, Entry> owners = new HashMap<>();

  /** False when {@code change} would give a key that this round already adds a second owner. */
  boolean fits(EntryChange change) {
    Entry owner = owners.get(change.entry().key());
    return !change.adds() || owner == null || owner.equals(change.entry());
  }

  void add(EntryChange change) {
    Entry entry = change.entry();
    int count = counts.merge(entry, change.adds() ? 1 : -1, Integer::sum);
    if (count > 0) {
      owners.put(entry.key(), entry);
    } else {
      owners.remove(entry.key(), entry);
    }
    if (count == 0) {
      counts.remove(entry);
    }
  }

  int size() {
    return counts.size();
  }

  boolean isEmpty() {
    return counts.isEmpty();
  }

  /** Sorted by key, so that concurrent batches of other streams lock in one order. */
  List<Entry> removals() {
    return withSign(-1);
  }

  List<Entry> additions() {
    return withSign(1);
  }

  private List<Entry> withSign(int sign) {
    List<Entry> entries = new ArrayList<>();
    counts.forEach(
        (entry, count) -> {
          if (Integer.signum(count) == sign) {
            entries.add(entry);
          }
        });
    entries.sort(BY_KEY);
    return entries;
  }

  void clear() {
    counts.clear();
    owners.clear();
  }
}
