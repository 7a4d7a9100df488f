package org.pgconcord.verifier;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.correct.Correction;
import org.pgconcord.verifier.correct.ServerSnapshot;
import org.pgconcord.verifier.correct.SnapshotSet;
import org.pgconcord.verifier.report.Difference;
import org.pgconcord.verifier.search.Comparison;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.RangeSearch;
import org.pgconcord.verifier.settle.LockedCheck;
import org.pgconcord.verifier.settle.OwnerReader;
import org.pgconcord.verifier.settle.OwnerRows;

/**
 * The way from {@code write_only} on, where routers write entries as well and no position says what
 * the lookup table has applied. Snapshots taken at about one moment differ by what was under way
 * then; equal sums are equal sets all the same. Every key that differs is a suspect, settled so:
 * the streams pass where the owner shards stand now, then the key is read under the locks that
 * exclude everybody who could be changing it. What is still wrong after that, in every round,
 * counts. Surplus that is younger than a transaction still open on its owner shard is in flight:
 * that transaction may be the one that makes the row.
 */
final class SettledPass {
  /** So many wrong keys are not a matter of a moment; each look at them takes its time. */
  private static final int MANY = 1_000;

  private static final int ROUNDS_FOR_MANY = 2;

  private final LookupIndex index;
  private final VerifierServices services;
  private final StreamWait wait;

  /** When the suspects were seen, by each owner shard's clock. */
  private final Map<ShardId, Instant> seenAt = new HashMap<>();

  private long inFlight;
  private List<ShardId> late = List.of();

  SettledPass(LookupIndex index, VerifierServices services) {
    this.index = index;
    this.services = services;
    this.wait = new StreamWait(services.positions(), services.options());
  }

  Pass run() throws SQLException, InterruptedException {
    try (OwnerReader reader = new OwnerReader(index, services.sessions())) {
      Pass seen = look(reader);
      List<KeyState> wrong = settle(seen.wrong(), reader);
      return new Pass(
          seen.positions(),
          seen.expected(),
          seen.actual(),
          wrong,
          seen.complete(),
          late,
          inFlight,
          seen.rows(),
          seen.strays().still(index, services.sessions()));
    }
  }

  /** All suspects, as yet without judgement. */
  private Pass look(OwnerReader reader) throws SQLException, InterruptedException {
    try (SnapshotSet snapshots = SnapshotSet.take(index, services.sessions(), services.threads())) {
      for (ServerSnapshot owner : snapshots.owners().values()) {
        seenAt.put(owner.shard(), owner.takenAt());
      }
      Comparison comparison =
          new Comparison(
              index,
              snapshots,
              Correction.none(),
              snapshots.sums(services.random()),
              services.threads());
      Comparison.Pair whole = comparison.whole(services.progress());
      RangeSearch.Found found = new RangeSearch(comparison).search(whole);
      OwnerRows.Found rows = ExactPass.ownerRows(index, snapshots, reader);
      return new Pass(
          ExactPass.positions(snapshots),
          whole.expected().count(),
          whole.actual().count(),
          found.suspects(),
          found.complete() && comparison.strays().complete(),
          List.of(),
          0,
          rows,
          comparison.strays());
    }
  }

  private List<KeyState> settle(List<KeyState> suspects, OwnerReader reader)
      throws SQLException, InterruptedException {
    List<KeyState> open = suspects;
    int rounds = suspects.size() > MANY ? ROUNDS_FOR_MANY : services.options().rounds();
    try (LockedCheck check =
        new LockedCheck(index, services.sessions(), reader, services.options().lockTimeout())) {
      for (int round = 0; round < rounds && !open.isEmpty(); round++) {
        wait.pause(round);
        late = wait.past(reader.positions());
        boolean last = round + 1 == rounds;
        open = judge(open, check, reader, last);
      }
    }
    return open;
  }

  /** Those that are wrong under the locks; in the last round without those in flight. */
  private List<KeyState> judge(
      List<KeyState> suspects, LockedCheck check, OwnerReader reader, boolean last)
      throws SQLException {
    List<KeyState> wrong = new ArrayList<>();
    for (KeyState suspect : suspects) {
      Optional<KeyState> now = check.check(suspect.identity());
      KeyState state = now.orElse(suspect);
      if (state.difference().isEmpty()) {
        continue;
      }
      if (last && (now.isEmpty() || mayBeComing(state, reader))) {
        inFlight++;
      } else {
        wrong.add(state);
      }
    }
    return wrong;
  }

  private boolean mayBeComing(KeyState state, OwnerReader reader) throws SQLException {
    Tuple holder = state.entry();
    if (holder == null || !state.difference().equals(Optional.of(Difference.SURPLUS))) {
      return false;
    }
    ShardId shard = index.shardOf(new Entry(state.identity(), holder));
    return reader.openSince(shard, seenAt.getOrDefault(shard, Instant.MIN));
  }
}
