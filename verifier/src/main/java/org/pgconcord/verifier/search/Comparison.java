package org.pgconcord.verifier.search;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.ServerSnapshot;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.sum.Digest;
import org.pgconcord.verifier.sum.EntrySet;
import org.pgconcord.verifier.sum.KeyBounds;
import org.pgconcord.verifier.sum.Sums;

/**
 * Both sides of an index in one set of snapshots, with the correction that makes them one moment.
 * Used by one thread, the one that closes the snapshots.
 */
public final class Comparison {
  /** How many entries of a correction are sent at once. */
  private static final int BATCH = 5_000;

  private final LookupIndex index;
  private final SnapshotSet snapshots;
  private final Correction correction;
  private final Sums sums;
  private final EntrySet owner;
  private final EntrySet lookup;

  public Comparison(LookupIndex index, SnapshotSet snapshots, Correction correction, Sums sums) {
    this.index = index;
    this.snapshots = snapshots;
    this.correction = correction;
    this.sums = sums;
    this.owner = EntrySet.owner(index);
    this.lookup = EntrySet.lookup(index);
  }

  /** Expected and actual sums of the same keys. */
  public record Pair(Digest expected, Digest actual) {
    public boolean equal() {
      return expected.equals(actual);
    }

    long rows() {
      return Math.max(expected.count(), actual.count());
    }
  }

  /** The sums over all keys. */
  public Pair whole() throws SQLException {
    return parts(KeyBounds.ALL, List.of()).get(0);
  }

  /** The sums of the parts of a range. */
  List<Pair> parts(KeyBounds bounds, List<String> cuts) throws SQLException {
    List<Digest> expected = null;
    for (ServerSnapshot each : snapshots.owners().values()) {
      expected =
          add(expected, sums.parts(each.transaction(), owner.within(bounds), cuts), Digest::plus);
    }
    for (List<Entry> batch : batches(correction.added())) {
      expected = add(expected, correctionParts(batch, bounds, cuts), Digest::plus);
    }
    for (List<Entry> batch : batches(correction.removed())) {
      expected = add(expected, correctionParts(batch, bounds, cuts), Digest::minus);
    }
    List<Digest> actual = sums.parts(snapshots.lookup().transaction(), lookup.within(bounds), cuts);
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < actual.size(); i++) {
      pairs.add(new Pair(expected == null ? Digest.EMPTY : expected.get(i), actual.get(i)));
    }
    return pairs;
  }

  private interface Fold {
    Digest apply(Digest sum, Digest part);
  }

  private static List<Digest> add(@Nullable List<Digest> sum, List<Digest> parts, Fold fold) {
    List<Digest> result = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      result.add(fold.apply(sum == null ? Digest.EMPTY : sum.get(i), parts.get(i)));
    }
    return result;
  }

  private List<Digest> correctionParts(List<Entry> batch, KeyBounds bounds, List<String> cuts)
      throws SQLException {
    EntrySet set = EntrySet.of(index, batch).within(bounds);
    return sums.parts(snapshots.lookup().transaction(), set, cuts);
  }

  private static List<List<Entry>> batches(List<Entry> entries) {
    List<List<Entry>> batches = new ArrayList<>();
    for (int from = 0; from < entries.size(); from += BATCH) {
      batches.add(entries.subList(from, Math.min(entries.size(), from + BATCH)));
    }
    return batches;
  }

  /** Keys that cut a range into about even parts, by the side that has more of it. */
  List<String> cuts(KeyBounds bounds, Pair sums, int parts) throws SQLException {
    boolean byLookup = sums.actual().count() * 2 >= sums.expected().count();
    if (byLookup) {
      return Sums.cuts(
          snapshots.lookup().transaction(), lookup.within(bounds), sums.actual().count(), parts);
    }
    ServerSnapshot any = snapshots.owners().values().iterator().next();
    return Sums.cuts(any.transaction(), owner.within(bounds), sums.expected().count(), parts);
  }

  /** The keys of a range that have something wrong. */
  List<KeyState> differing(KeyBounds bounds) throws SQLException {
    return states(set -> set.within(bounds));
  }

  /** Those of some keys that have something wrong. */
  public List<KeyState> differing(List<String> keys) throws SQLException {
    return states(set -> set.ofKeys(keys));
  }

  private List<KeyState> states(UnaryOperator<EntrySet> narrow) throws SQLException {
    Map<String, KeyState> states = new LinkedHashMap<>();
    for (ServerSnapshot each : snapshots.owners().values()) {
      ShardId shard = each.shard();
      Sums.fetch(
          each.transaction(),
          narrow.apply(owner),
          entry -> addOwner(states, entry, new OwnerRef(shard, entry.shardKey())));
    }
    for (List<Entry> batch : batches(correction.added())) {
      fetchCorrection(
          narrow,
          batch,
          entry ->
              addOwner(
                  states, entry, new OwnerRef(index.shardOf(entry.shardKey()), entry.shardKey())));
    }
    for (List<Entry> batch : batches(correction.removed())) {
      fetchCorrection(
          narrow,
          batch,
          entry ->
              states.compute(
                  entry.key(), (key, state) -> state(key, state).withoutOwner(entry.shardKey())));
    }
    Sums.fetch(
        snapshots.lookup().transaction(),
        narrow.apply(lookup),
        entry ->
            states.compute(
                entry.key(), (key, state) -> state(key, state).withEntry(entry.shardKey())));
    return states.values().stream().filter(state -> state.difference().isPresent()).toList();
  }

  private void fetchCorrection(
      UnaryOperator<EntrySet> narrow, List<Entry> batch, Consumer<Entry> reader)
      throws SQLException {
    Sums.fetch(snapshots.lookup().transaction(), narrow.apply(EntrySet.of(index, batch)), reader);
  }

  private static void addOwner(Map<String, KeyState> states, Entry entry, OwnerRef owner) {
    states.compute(entry.key(), (key, state) -> state(key, state).withOwner(owner));
  }

  private static KeyState state(String key, @Nullable KeyState known) {
    return known != null ? known : new KeyState(key, List.of(), null);
  }
}
