package org.pgconcord.cdc.apply;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;

/**
 * The net effect of consecutive row changes on one lookup table: what was done last to each entry.
 * All removals come first, then all additions.
 *
 * <p>The owner's unique index lets one row at a time own an entry, so the last change says whether
 * its shard has the entry in the end. An entry that was added and removed again is still removed,
 * and one that was removed and added again is still added, instead of being left out: after a step
 * down the stream is replayed over a table in which routers have already done part of it, and a sum
 * of zero would leave what they added.
 *
 * <p>Putting removals first is right because the changes come in commit order from one shard: the
 * last ones are what the shard's rows own after them, whatever happened in between. It would hide
 * one thing, two rows that own one key at the same time; so a round refuses ({@link #fits}) the
 * second owner of a key, and the next round, applied after this one, meets the first as a conflict.
 */
final class EntryRound {
  private static final Comparator<Entry> BY_IDENTITY =
      Comparator.comparing(Entry::identity).thenComparing(Entry::holder);

  /** Entry -> whether it was added last. */
  private final Map<Entry, Boolean> last = new LinkedHashMap<>();

  private final Map<Tuple, Entry> owners = new HashMap<>();

  /** False when {@code change} would give a key that this round already adds a second owner. */
  boolean fits(EntryChange change) {
    Entry owner = owners.get(change.entry().identity());
    return !change.adds() || owner == null || owner.equals(change.entry());
  }

  void add(EntryChange change) {
    Entry entry = change.entry();
    last.put(entry, change.adds());
    if (change.adds()) {
      owners.put(entry.identity(), entry);
    } else {
      owners.remove(entry.identity(), entry);
    }
  }

  int size() {
    return last.size();
  }

  boolean isEmpty() {
    return last.isEmpty();
  }

  /** Sorted by key, so that concurrent batches of other streams lock in one order. */
  List<Entry> removals() {
    return lastly(false);
  }

  List<Entry> additions() {
    return lastly(true);
  }

  private List<Entry> lastly(boolean added) {
    List<Entry> entries = new ArrayList<>();
    last.forEach(
        (entry, addedLast) -> {
          if (addedLast == added) {
            entries.add(entry);
          }
        });
    entries.sort(BY_IDENTITY);
    return entries;
  }

  void clear() {
    last.clear();
    owners.clear();
  }
}
