package org.pgconcord.verifier;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.ServerSnapshot;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.search.Comparison;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.RangeSearch;
import org.pgconcord.verifier.settle.OwnerReader;
import org.pgconcord.verifier.settle.OwnerRows;

/**
 * The way of {@code tailing}, where the stream alone writes entries: the corrected sums are equal
 * or something is wrong ({@link Correction} has the proof). A key found wrong is compared again in
 * later, equally exact, snapshots, each taken after the streams have passed where they stood, and
 * counts only when it is wrong in all of them: an insert that waits for another shard's delete is
 * the one thing that mends itself.
 */
final class ExactPass {
  private final LookupIndex index;
  private final VerifierServices services;
  private final StreamWait wait;
  private final Set<ShardId> late = new TreeSet<>();

  ExactPass(LookupIndex index, VerifierServices services) {
    this.index = index;
    this.services = services;
    this.wait = new StreamWait(services.positions(), services.options());
  }

  Pass run() throws SQLException, InterruptedException {
    services.log().retain(index.name());
    try (SnapshotSet snapshots = SnapshotSet.take(index, services.sessions(), services.threads());
        OwnerReader reader = new OwnerReader(index, services.sessions())) {
      Comparison comparison = compare(snapshots);
      Comparison.Pair whole = comparison.whole(services.progress());
      RangeSearch.Found found =
          late.isEmpty()
              ? new RangeSearch(comparison).search(whole)
              : new RangeSearch.Found(List.of(), false);
      OwnerRows.Found rows = ownerRows(index, snapshots, reader);
      List<KeyState> wrong = confirmed(found.suspects());
      return new Pass(
          positions(snapshots),
          whole.expected().count(),
          whole.actual().count(),
          wrong,
          found.complete() && comparison.strays().complete(),
          List.copyOf(late),
          found.suspects().size() - wrong.size(),
          rows,
          comparison.strays().still(index, services.sessions()));
    } finally {
      services.log().release(index.name());
    }
  }

  /** Waits until the streams have passed the snapshots, then corrects by what they brought. */
  private Comparison compare(SnapshotSet snapshots) throws SQLException, InterruptedException {
    late.addAll(wait.past(positions(snapshots)));
    return new Comparison(
        index,
        snapshots,
        Correction.read(services.log(), index, snapshots),
        snapshots.sums(services.random()),
        services.threads());
  }

  private List<KeyState> confirmed(List<KeyState> suspects)
      throws SQLException, InterruptedException {
    List<KeyState> wrong = suspects;
    for (int round = 0; round < services.options().rounds() && !wrong.isEmpty(); round++) {
      wait.pause(round);
      wrong = again(wrong);
    }
    return wrong;
  }

  /** Compares the keys in new snapshots; the log has been kept all the time. */
  private List<KeyState> again(List<KeyState> suspects) throws SQLException, InterruptedException {
    try (OwnerReader reader = new OwnerReader(index, services.sessions())) {
      wait.past(reader.positions());
    }
    Map<Tuple, KeyState> still = new HashMap<>();
    try (SnapshotSet snapshots = SnapshotSet.take(index, services.sessions(), services.threads())) {
      Comparison comparison = compare(snapshots);
      for (List<Tuple> identities : batches(suspects)) {
        comparison.differing(identities).forEach(state -> still.put(state.identity(), state));
      }
    }
    List<KeyState> wrong = new ArrayList<>();
    for (KeyState suspect : suspects) {
      KeyState now = still.get(suspect.identity());
      if (now != null) {
        wrong.add(now);
      }
    }
    return wrong;
  }

  private static List<List<Tuple>> batches(List<KeyState> states) {
    List<Tuple> identities = states.stream().map(KeyState::identity).toList();
    List<List<Tuple>> batches = new ArrayList<>();
    for (int from = 0; from < identities.size(); from += 1_000) {
      batches.add(identities.subList(from, Math.min(identities.size(), from + 1_000)));
    }
    return batches;
  }

  static Map<ShardId, Lsn> positions(SnapshotSet snapshots) {
    Map<ShardId, Lsn> positions = new TreeMap<>();
    snapshots.owners().values().forEach(s -> positions.put(s.shard(), s.position()));
    return positions;
  }

  static OwnerRows.Found ownerRows(LookupIndex index, SnapshotSet snapshots, OwnerReader reader)
      throws SQLException {
    OwnerRows check = new OwnerRows(index);
    OwnerRows.Found found = OwnerRows.Found.NOTHING;
    for (ServerSnapshot owner : snapshots.owners().values()) {
      found = found.plus(check.check(owner.shard(), owner.transaction(), reader));
    }
    return found;
  }
}
