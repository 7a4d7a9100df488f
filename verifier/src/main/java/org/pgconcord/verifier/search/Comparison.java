package org.pgconcord.verifier.search;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.CompareProgress;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.ServerSnapshot;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.correct.Together;
import org.pgconcord.verifier.report.OwnerRef;
import org.pgconcord.verifier.sum.Digest;
import org.pgconcord.verifier.sum.EntrySet;
import org.pgconcord.verifier.sum.KeyBounds;
import org.pgconcord.verifier.sum.Sums;
import org.pgconcord.verifier.sum.TableSum;

/**
 * Both sides of an index in one set of snapshots, with the correction that makes them one moment.
 * All servers are asked side by side, each in its own snapshot's session. Used by one thread, the
 * one that closes the snapshots.
 */
public final class Comparison {
  /** How many entries of a correction are sent at once. */
  private static final int BATCH = 5_000;

  /** Rows of one server held here at once; more can be asked for only when one key has them. */
  private static final int MOST_FETCHED = 200_000;

  private final LookupIndex index;
  private final SnapshotSet snapshots;
  private final Correction correction;
  private final Sums sums;
  private final ExecutorService threads;
  private final EntrySet owner;
  private final EntrySet lookup;
  private Strays strays = Strays.NONE;

  public Comparison(
      LookupIndex index,
      SnapshotSet snapshots,
      Correction correction,
      Sums sums,
      ExecutorService threads) {
    this.index = index;
    this.snapshots = snapshots;
    this.correction = correction;
    this.sums = sums;
    this.threads = threads;
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

  /** A question that each server answers about its set of entries. */
  private interface Question<T> {
    T ask(Connection snapshot, EntrySet set) throws SQLException;
  }

  /** The answers of all owner shards in their order, then those of all lookup shards in theirs. */
  private <T> List<T> ask(UnaryOperator<EntrySet> narrow, Question<T> question)
      throws SQLException, InterruptedException {
    List<Callable<T>> tasks = new ArrayList<>();
    for (ServerSnapshot each : snapshots.owners().values()) {
      tasks.add(() -> question.ask(each.transaction(), narrow.apply(owner)));
    }
    for (ServerSnapshot each : snapshots.lookups().values()) {
      tasks.add(() -> question.ask(each.transaction(), narrow.apply(lookup)));
    }
    return Together.run(threads, tasks);
  }

  /** Entries on lookup shards where they do not belong: known after {@link #whole}. */
  public Strays strays() {
    return strays;
  }

  /** The sums over all keys. */
  public Pair whole(CompareProgress progress) throws SQLException, InterruptedException {
    List<Callable<Digest>> tasks = new ArrayList<>();
    for (ServerSnapshot each : snapshots.owners().values()) {
      TableSum.Sink sink = (rows, all) -> progress.compared(index.name(), each.shard(), rows, all);
      tasks.add(() -> TableSum.owner(each.transaction(), index, sums, sink));
    }
    for (ServerSnapshot each : snapshots.lookups().values()) {
      tasks.add(() -> sums.parts(each.transaction(), lookup, List.of()).get(0));
    }
    List<List<Digest>> answers = new ArrayList<>();
    Together.run(threads, tasks).forEach(digest -> answers.add(List.of(digest)));
    strays = Strays.in(snapshots, index, threads);
    return pairs(answers, KeyBounds.ALL, List.of()).get(0);
  }

  /** The sums of the parts of a range. */
  List<Pair> parts(KeyBounds bounds, List<Tuple> cuts) throws SQLException, InterruptedException {
    List<List<Digest>> answers =
        ask(set -> set.within(bounds), (snapshot, set) -> sums.parts(snapshot, set, cuts));
    return pairs(answers, bounds, cuts);
  }

  /**
   * Corrects what the owner shards answered and puts what the lookup shards answered beside it,
   * without what strays there.
   */
  private List<Pair> pairs(List<List<Digest>> answers, KeyBounds bounds, List<Tuple> cuts)
      throws SQLException {
    int owners = snapshots.owners().size();
    List<Digest> expected = sum(answers.subList(0, owners));
    List<Digest> actual = sum(answers.subList(owners, answers.size()));
    for (List<Entry> batch : batches(strays.entries())) {
      actual = combined(actual, correctionParts(batch, bounds, cuts), Digest::minus);
    }
    for (List<Entry> batch : batches(correction.added())) {
      expected = combined(expected, correctionParts(batch, bounds, cuts), Digest::plus);
    }
    for (List<Entry> batch : batches(correction.removed())) {
      expected = combined(expected, correctionParts(batch, bounds, cuts), Digest::minus);
    }
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < actual.size(); i++) {
      pairs.add(new Pair(expected.get(i), actual.get(i)));
    }
    return pairs;
  }

  private static List<Digest> sum(List<List<Digest>> answers) {
    List<Digest> sum = answers.get(0);
    for (List<Digest> more : answers.subList(1, answers.size())) {
      sum = combined(sum, more, Digest::plus);
    }
    return sum;
  }

  private static List<Digest> combined(
      List<Digest> left, List<Digest> right, BinaryOperator<Digest> fold) {
    List<Digest> result = new ArrayList<>();
    for (int i = 0; i < left.size(); i++) {
      result.add(fold.apply(left.get(i), right.get(i)));
    }
    return result;
  }

  private List<Digest> correctionParts(List<Entry> batch, KeyBounds bounds, List<Tuple> cuts)
      throws SQLException {
    EntrySet set = EntrySet.of(index, batch).within(bounds);
    return sums.parts(snapshots.anyLookup().transaction(), set, cuts);
  }

  private static List<List<Entry>> batches(List<Entry> entries) {
    List<List<Entry>> batches = new ArrayList<>();
    for (int from = 0; from < entries.size(); from += BATCH) {
      batches.add(entries.subList(from, Math.min(entries.size(), from + BATCH)));
    }
    return batches;
  }

  /** Keys that cut a range into about even parts, by the side that has more of it. */
  List<Tuple> cuts(KeyBounds bounds, Pair sums, int parts)
      throws SQLException, InterruptedException {
    boolean byLookup = sums.actual().count() * 2 >= sums.expected().count();
    Map<ShardId, ServerSnapshot> servers = byLookup ? snapshots.lookups() : snapshots.owners();
    EntrySet set = (byLookup ? lookup : owner).within(bounds);
    long rows = byLookup ? sums.actual().count() : sums.expected().count();
    List<Callable<List<Tuple>>> tasks = new ArrayList<>();
    for (ServerSnapshot each : servers.values()) {
      tasks.add(() -> Sums.cuts(each.transaction(), set, rows, parts));
    }
    // A server may have none of the range's keys; the one with the most cuts has its share of them.
    return Together.run(threads, tasks).stream()
        .max(Comparator.comparingInt(List::size))
        .orElse(List.of());
  }

  /** The keys of a range that have something wrong. */
  List<KeyState> differing(KeyBounds bounds) throws SQLException, InterruptedException {
    return states(set -> set.within(bounds));
  }

  /** Those of some parts of a range. */
  List<KeyState> differing(KeyBounds bounds, List<Tuple> cuts, List<Integer> parts)
      throws SQLException, InterruptedException {
    return states(set -> set.within(bounds).inParts(cuts, parts));
  }

  /** Those of some keys. */
  public List<KeyState> differing(List<Tuple> identities)
      throws SQLException, InterruptedException {
    return states(set -> set.of(identities));
  }

  private List<KeyState> states(UnaryOperator<EntrySet> narrow)
      throws SQLException, InterruptedException {
    List<List<Entry>> answers = ask(narrow, Comparison::fetch);
    Map<Tuple, KeyState> states = new LinkedHashMap<>();
    List<ShardId> shards = List.copyOf(snapshots.owners().keySet());
    for (int i = 0; i < shards.size(); i++) {
      ShardId shard = shards.get(i);
      answers.get(i).forEach(entry -> addOwner(states, entry, shard));
    }
    correction(narrow, correction.added())
        .forEach(entry -> addOwner(states, entry, index.shardOf(entry)));
    correction(narrow, correction.removed())
        .forEach(
            entry ->
                states.compute(
                    entry.identity(),
                    (identity, known) -> state(identity, known).withoutOwner(entry.holder())));
    List<ShardId> lookups = List.copyOf(snapshots.lookups().keySet());
    for (int i = 0; i < lookups.size(); i++) {
      ShardId at = lookups.get(i);
      answers.get(shards.size() + i).stream()
          .filter(entry -> index.lookupShard(entry.identity()).equals(at))
          .forEach(entry -> addEntry(states, entry));
    }
    return states.values().stream().filter(state -> state.difference().isPresent()).toList();
  }

  private static List<Entry> fetch(Connection snapshot, EntrySet set) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    Sums.fetch(snapshot, set, MOST_FETCHED, entries::add);
    return entries;
  }

  /** What a correction has of a set: the server decides, by the same conditions. */
  private List<Entry> correction(UnaryOperator<EntrySet> narrow, List<Entry> entries)
      throws SQLException {
    List<Entry> all = new ArrayList<>();
    for (List<Entry> batch : batches(entries)) {
      EntrySet set = narrow.apply(EntrySet.of(index, batch));
      all.addAll(fetch(snapshots.anyLookup().transaction(), set));
    }
    return all;
  }

  private static void addOwner(Map<Tuple, KeyState> states, Entry entry, ShardId shard) {
    OwnerRef owner = new OwnerRef(shard, entry.holder());
    states.compute(entry.identity(), (identity, known) -> state(identity, known).withOwner(owner));
  }

  private static void addEntry(Map<Tuple, KeyState> states, Entry entry) {
    states.compute(
        entry.identity(), (identity, known) -> state(identity, known).withEntry(entry.holder()));
  }

  private static KeyState state(Tuple identity, @Nullable KeyState known) {
    return known != null ? known : new KeyState(identity, List.of(), null);
  }
}
