package org.pgconcord.verifier;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.search.KeyState;
import org.pgconcord.verifier.search.Strays;
import org.pgconcord.verifier.settle.OwnerRows;

/**
 * What one way of verifying found.
 *
 * @param positions of the owners' snapshots
 * @param wrong keys that are wrong for good
 * @param complete false when there may be more of them
 * @param skipped shards whose stream did not pass its position in time
 * @param inFlight suspects that transactions under way explain
 * @param strays entries on lookup shards where nobody looks for them
 */
record Pass(
    Map<ShardId, Lsn> positions,
    long expected,
    long actual,
    List<KeyState> wrong,
    boolean complete,
    List<ShardId> skipped,
    long inFlight,
    OwnerRows.Found rows,
    Strays strays) {
  Pass {
    positions = java.util.Collections.unmodifiableMap(new TreeMap<>(positions));
    wrong = List.copyOf(wrong);
    skipped = List.copyOf(skipped);
  }
}
