package org.pgconcord.verifier.reference;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.pgconcord.verifier.VerifyOptions;
import org.pgconcord.verifier.reference.CopyReader.KeyRows;
import org.pgconcord.verifier.reference.RowDifference.Kind;
import org.pgconcord.verifier.sum.Digest;

/**
 * Holds one copy against the leading one, while others write to both.
 *
 * <p>A writer changes the copies one after the other, so two copies read at about one moment may
 * differ by what is under way. A key that differs is therefore read again, later and later, and
 * counts when it differed in two readings in a row with nothing changed on either side: no writer
 * was at work on it then. A key that has not come to rest in the last round is in flight.
 */
final class CopyComparison {
  /** Buckets read at once: bounds what is held here when a whole copy differs. */
  private static final int BUCKETS_AT_ONCE = 32;

  private static final int MOST_SUSPECTS = 20_000;

  private final CopyTable table;
  private final CopyReader reader;
  private final VerifyOptions options;
  private final Connection leader;
  private final Connection copy;
  private boolean complete = true;

  CopyComparison(
      CopyTable table,
      CopyReader reader,
      VerifyOptions options,
      Connection leader,
      Connection copy) {
    this.table = table;
    this.reader = reader;
    this.options = options;
    this.leader = leader;
    this.copy = copy;
  }

  /** A key on both sides; null where it has no row. */
  private record Both(@Nullable KeyRows leader, @Nullable KeyRows copy) {
    boolean equal() {
      return Objects.equals(
          leader == null ? null : leader.sums(), copy == null ? null : copy.sums());
    }

    Kind kind() {
      return copy == null ? Kind.MISSING : leader == null ? Kind.SURPLUS : Kind.DIFFERENT;
    }

    List<String> key() {
      KeyRows present = leader != null ? leader : copy;
      return present == null ? List.of() : present.key();
    }
  }

  boolean complete() {
    return complete;
  }

  CopyReport compare(
      String shard, Map<Integer, Digest> leaderBuckets, Map<Integer, Digest> copyBuckets)
      throws SQLException, InterruptedException {
    Map<String, Both> open = suspects(leaderBuckets, copyBuckets);
    Map<String, Both> confirmed = new TreeMap<>();
    for (int round = 1; round <= options.rounds() && !open.isEmpty(); round++) {
      LockSupport.parkNanos(options.pause().toNanos() * round);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      open = again(open, confirmed);
    }
    long rows = copyBuckets.values().stream().mapToLong(Digest::count).sum();
    return new CopyReport(
        shard,
        rows,
        count(confirmed, Kind.MISSING),
        count(confirmed, Kind.SURPLUS),
        count(confirmed, Kind.DIFFERENT),
        open.size(),
        samples(confirmed));
  }

  private static long count(Map<String, Both> keys, Kind kind) {
    return keys.values().stream().filter(both -> both.kind() == kind).count();
  }

  private Map<String, Both> suspects(
      Map<Integer, Digest> leaderBuckets, Map<Integer, Digest> copyBuckets) throws SQLException {
    TreeSet<Integer> buckets = new TreeSet<>(leaderBuckets.keySet());
    buckets.addAll(copyBuckets.keySet());
    buckets.removeIf(b -> Objects.equals(leaderBuckets.get(b), copyBuckets.get(b)));
    List<Integer> differing = List.copyOf(buckets);
    Map<String, Both> suspects = new HashMap<>();
    for (int from = 0; from < differing.size(); from += BUCKETS_AT_ONCE) {
      if (suspects.size() > MOST_SUSPECTS) {
        complete = false;
        break;
      }
      List<Integer> some =
          differing.subList(from, Math.min(differing.size(), from + BUCKETS_AT_ONCE));
      suspects.putAll(differing(reader.keysOf(leader, some), reader.keysOf(copy, some)));
    }
    return suspects;
  }

  private static Map<String, Both> differing(
      Map<String, KeyRows> leader, Map<String, KeyRows> copy) {
    TreeSet<String> keys = new TreeSet<>(leader.keySet());
    keys.addAll(copy.keySet());
    Map<String, Both> differing = new HashMap<>();
    for (String key : keys) {
      Both both = new Both(leader.get(key), copy.get(key));
      if (!both.equal()) {
        differing.put(key, both);
      }
    }
    return differing;
  }

  /** Reads the keys once more; those at rest are confirmed, those that changed stay open. */
  private Map<String, Both> again(Map<String, Both> open, Map<String, Both> confirmed)
      throws SQLException {
    Map<String, Both> now =
        differing(reader.keys(leader, open.keySet()), reader.keys(copy, open.keySet()));
    Map<String, Both> moving = new HashMap<>();
    now.forEach(
        (key, both) -> {
          if (both.equals(open.get(key))) {
            confirmed.put(key, both);
          } else {
            moving.put(key, both);
          }
        });
    return moving;
  }

  private List<RowDifference> samples(Map<String, Both> confirmed) throws SQLException {
    List<RowDifference> samples = new ArrayList<>();
    Map<Kind, Integer> taken = new HashMap<>();
    for (Map.Entry<String, Both> each : confirmed.entrySet()) {
      Kind kind = each.getValue().kind();
      if (taken.merge(kind, 1, Integer::sum) <= options.samplesPerKind()) {
        List<String> columns = kind == Kind.DIFFERENT ? differingColumns(each.getKey()) : List.of();
        samples.add(new RowDifference(kind, each.getValue().key(), columns));
      }
    }
    return samples;
  }

  private List<String> differingColumns(String keyText) throws SQLException {
    List<@Nullable String> here = reader.columns(leader, keyText);
    List<@Nullable String> there = reader.columns(copy, keyText);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < Math.min(here.size(), there.size()); i++) {
      if (!Objects.equals(here.get(i), there.get(i))) {
        names.add(table.columns().get(i));
      }
    }
    return names;
  }
}
