package org.pgconcord.verifier.correct;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.verifier.TransactionLog;

/**
 * What has to be added to, and taken from, the owners' snapshots to get what the lookup table's
 * snapshot must hold.
 *
 * <h2>Why the corrected sums are exactly equal</h2>
 *
 * Take the entries of one lookup shard alone; a change is one entry's, so all sums divide by lookup
 * shard. Let S be an owner shard's snapshot, T the lookup shard's, and P the position in T's
 * progress row of that shard. P moved in the transactions that changed the entries, so T holds what
 * applying all transactions with a commit position up to P makes of the content at the slot's
 * start. Call these Y, and those that S sees X. Both are sets of transactions over one start; each
 * transaction adds and removes entries, so a content is the start plus the signed sum of its
 * transactions' changes, in any order. A sum of hashes is additive over that. Hence
 *
 * <pre>sums(Y) = sums(X) + sums(changes of Y without X) - sums(changes of X without Y).</pre>
 *
 * X need not be a prefix of the stream: a transaction that committed early in the log may become
 * visible late. So membership in X is decided by the snapshot's list of running transactions, not
 * by positions. The transactions in only one of X and Y are all in the log:
 *
 * <ul>
 *   <li>X without Y: they committed before the position that was noted after S was taken, and we
 *       wait until the stream is applied, and thereby logged, past that. Those applied before the
 *       log was kept are in Y if T is later than that, and it is.
 *   <li>Y without X: those applied after the log began to be kept are in it. Those applied before
 *       were visible to new snapshots when {@code retain} returned, and S was taken later: they are
 *       in X.
 * </ul>
 *
 * <p>The left side is read from the lookup table alone, the right one from the owners and the log.
 * A change that the stream lost is missing in the log and in the lookup table alike, but not in S,
 * which is read from the table: the sums then differ. What does not hold exactly is uniqueness in
 * flight: an insert that waits, parked, for another shard's delete is applied by its position and
 * not in the table. Such keys show up as suspects and pass when the delete has come; that is why a
 * suspect counts only after later snapshots.
 */
public final class Correction {
  private final List<Entry> added = new ArrayList<>();
  private final List<Entry> removed = new ArrayList<>();

  /** Reads the log: call it after the streams have passed the owners' noted positions. */
  public static Correction read(TransactionLog log, LookupIndex index, SnapshotSet snapshots)
      throws SQLException {
    Map<ShardId, Map<ShardId, Lsn>> applied = snapshots.applied(index.name());
    Map<Entry, Integer> net = new HashMap<>();
    for (ServerSnapshot owner : snapshots.owners().values()) {
      log.forEach(
          index.name(),
          owner.shard(),
          transaction -> {
            boolean inOwner = owner.visible().sees(owner.visible().widen(transaction.xid()));
            for (EntryChange change : transaction.changes()) {
              ShardId lookup = index.lookupShard(change.entry().identity());
              Lsn position =
                  applied.getOrDefault(lookup, Map.of()).getOrDefault(owner.shard(), Lsn.ZERO);
              boolean inLookup = !position.isBefore(transaction.commitLsn());
              if (inOwner != inLookup) {
                count(net, change, inLookup);
              }
            }
          });
    }
    return new Correction(net);
  }

  private static void count(Map<Entry, Integer> net, EntryChange change, boolean forward) {
    int sign = change.adds() == forward ? 1 : -1;
    net.merge(change.entry(), sign, (a, b) -> a + b == 0 ? null : a + b);
  }

  private Correction(Map<Entry, Integer> net) {
    net.forEach(
        (entry, times) -> {
          for (int i = 0; i < Math.abs(times); i++) {
            (times > 0 ? added : removed).add(entry);
          }
        });
  }

  /** Nothing to correct. */
  public static Correction none() {
    return new Correction(Map.of());
  }

  /** Entries that the lookup table must have beyond the owners' snapshots. */
  public List<Entry> added() {
    return added;
  }

  /** Entries of the owners' snapshots that the lookup table must not have. */
  public List<Entry> removed() {
    return removed;
  }
}
