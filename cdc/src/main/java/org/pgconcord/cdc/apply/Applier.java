package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.LookupIndex;

/**
 * Applies one owner shard's transactions to one lookup table, or to the part of it that is on one
 * shard, without looking at the owner: right only while the engine is the sole writer of the
 * index's entries ({@code filling}, {@code tailing}).
 *
 * <h2>Invariant</h2>
 *
 * When the progress row of stream <i>i</i> says P, the entries that name rows of shard <i>i</i>,
 * those in the lookup table and those parked, are exactly the entries of shard <i>i</i>'s rows at
 * P. A sharded lookup table is several targets, one on each of its shards, each with a progress row
 * of its own: the invariant holds for the entries whose keys belong on that shard, and no
 * transaction of a target touches another.
 *
 * <h2>Why one stream keeps it</h2>
 *
 * By induction over transactions. Backfill starts it: the snapshot at the slot's consistent point.
 * A transaction's net delta leads from the entries before to the entries after, and sums of
 * consecutive deltas do the same, so several transactions may share one target transaction ({@link
 * EntryRound}). Removals are conditional on the whole entry: they can only remove an entry that
 * this stream put there, never one of another owner. The progress row moves in the same commit and
 * a batch whose transactions it already covers is skipped, so each transaction counts once,
 * whatever crashed. It is the transaction's first statement and carries the engine's epoch: an
 * engine that lost the stream finds no row and rolls back.
 *
 * <h2>Several streams and one unique key</h2>
 *
 * Streams have no common order. When a key leaves shard A and appears on shard B, B's insert can
 * come first and meet A's entry. It does not overwrite: A's entry may be right. It does not fail
 * either: A's removal may be on its way. It is parked, with two positions taken <em>after</em> the
 * conflict was seen: where A's log ends and where B's log ends.
 *
 * <ul>
 *   <li>A's removal arrives: the entry goes, the parked one is inserted at the next look.
 *   <li>B's own removal of that entry arrives: the parked one is cancelled, in the same commit.
 *   <li>Both streams have passed their positions, and neither happened: it is a duplicate. For A's
 *       row lived when A's position was taken, else its removal would lie before it; and B's row
 *       lived from before that moment until B's position, else its removal would have cancelled.
 *       Two rows owned the key at one moment. Without B's position a key that went from A to B and
 *       back to A would be taken for one.
 * </ul>
 *
 * A duplicate stays parked: when the entry goes it still has a row that needs one.
 *
 * <p>Two batches can wait for each other's keys; PostgreSQL ends one of them, which the tail runs
 * again from its first statement.
 */
final class Applier implements Target {
  /** Entries in one pair of statements. */
  private static final int ROUND = 10_000;

  private static final int REVIEW = 500;
  private static final int TRUNCATE_PAGE = 5_000;

  private final LookupIndex index;
  private final ShardId shard;
  private final ShardId target;
  private final EntryReader reader;
  private final LookupWriter writer;
  private final ProgressRow progress;
  private final Parking parking;
  private final ShardSessions sessions;
  private final StreamPositions positions;
  private final DuplicateListener duplicates;
  private final AppliedRows rows;
  private final long epoch;
  private boolean somethingParked = true;

  Applier(TargetContext context, long epoch) {
    this.index = context.index();
    this.shard = context.stream().shard();
    this.target = context.lookup();
    this.reader = EntryReader.at(index, target);
    this.writer = new LookupWriter(index);
    this.progress = new ProgressRow(context.stream(), index.name());
    this.parking = new Parking(context.stream(), index);
    this.sessions = context.sessions();
    this.positions = context.positions();
    this.duplicates = context.duplicates();
    this.rows = context.rows();
    this.epoch = epoch;
  }

  @Override
  public boolean handle(List<SourceTransaction> transactions, Lsn position) throws SQLException {
    if (transactions.stream().noneMatch(this::concerned)) {
      return false;
    }
    Connection lookup = sessions.on(target);
    lookup.setAutoCommit(false);
    progress.advance(lookup, position, epoch);
    EntryRound round = new EntryRound();
    for (SourceTransaction transaction : transactions) {
      for (RowChange change : transaction.changes()) {
        if (reader.touches(change)) {
          take(lookup, round, change);
          rows.one();
        }
      }
    }
    apply(lookup, round);
    lookup.commit();
    rows.keep();
    return true;
  }

  @Override
  public void advance(Lsn position) throws SQLException {
    Connection lookup = sessions.on(target);
    lookup.setAutoCommit(false);
    progress.advance(lookup, position, epoch);
    lookup.commit();
  }

  /** A large transaction is not read through for this: it is taken to concern us. */
  private boolean concerned(SourceTransaction transaction) {
    if (transaction.changes().count() > ROUND) {
      return true;
    }
    for (RowChange change : transaction.changes()) {
      if (reader.touches(change)) {
        return true;
      }
    }
    return false;
  }

  private void take(Connection lookup, EntryRound round, RowChange change) throws SQLException {
    if (reader.isTruncate(change)) {
      round.clear();
      truncate(lookup);
      return;
    }
    for (EntryChange entry : reader.read(change)) {
      if (round.size() >= ROUND || !round.fits(entry)) {
        apply(lookup, round);
      }
      round.add(entry);
    }
  }

  private void apply(Connection lookup, EntryRound round) throws SQLException {
    if (!round.isEmpty()) {
      remove(lookup, round.removals());
      insert(lookup, round.additions());
      round.clear();
    }
  }

  private void remove(Connection lookup, List<Entry> removals) throws SQLException {
    int removed = writer.delete(lookup, removals);
    if (removed < removals.size() && somethingParked) {
      parking.cancel(lookup, removals);
    }
  }

  private void insert(Connection lookup, List<Entry> additions) throws SQLException {
    List<Entry> left = additions;
    while (!left.isEmpty() && writer.insert(lookup, left) < left.size()) {
      Map<Tuple, Tuple> holders = writer.read(lookup, identities(left));
      List<Entry> conflicts = new ArrayList<>();
      List<Entry> again = new ArrayList<>();
      for (Entry entry : left) {
        Tuple holder = holders.get(entry.identity());
        if (holder == null) {
          again.add(entry);
        } else if (!holder.equals(entry.holder())) {
          conflicts.add(entry);
        }
      }
      park(lookup, conflicts, holders);
      left = again;
    }
  }

  private static List<Tuple> identities(List<Entry> entries) {
    return entries.stream().map(Entry::identity).toList();
  }

  /** Both positions are taken here, after the conflicts were seen. */
  private void park(Connection lookup, List<Entry> conflicts, Map<Tuple, Tuple> holders)
      throws SQLException {
    if (conflicts.isEmpty()) {
      return;
    }
    somethingParked = true;
    Map<ShardId, Lsn> fences = new HashMap<>();
    Lsn own = fence(fences, shard);
    for (Entry entry : conflicts) {
      Tuple holder = holders.getOrDefault(entry.identity(), Tuple.EMPTY);
      Lsn held = fence(fences, index.shardOf(new Entry(entry.identity(), holder)));
      parking.park(
          lookup, new ParkedEntry(entry, holder, held, own, false, java.time.Instant.EPOCH));
    }
  }

  private Lsn fence(Map<ShardId, Lsn> known, ShardId of) throws SQLException {
    Lsn fence = known.get(of);
    if (fence == null) {
      fence = org.pgconcord.cdc.slot.Fences.position(sessions.on(of));
      known.put(of, fence);
    }
    return fence;
  }

  /** The lookup table does not say which shard an entry belongs to; the shard key does. */
  private void truncate(Connection lookup) throws SQLException {
    Optional<Tuple> after = Optional.empty();
    List<Entry> page;
    do {
      page = writer.page(lookup, after, TRUNCATE_PAGE);
      writer.delete(lookup, page.stream().filter(e -> index.shardOf(e).equals(shard)).toList());
      after = page.isEmpty() ? after : Optional.of(page.get(page.size() - 1).identity());
    } while (page.size() == TRUNCATE_PAGE);
    parking.cancelAll(lookup);
  }

  // --- parked entries ----------------------------------------------------------------------------

  @Override
  public void review() throws SQLException {
    if (!somethingParked) {
      return;
    }
    Connection lookup = sessions.on(target);
    lookup.setAutoCommit(false);
    List<ParkedEntry> parked = parking.list(lookup, REVIEW);
    somethingParked = !parked.isEmpty();
    if (somethingParked) {
      progress.advance(lookup, Lsn.ZERO, epoch);
      for (ParkedEntry one : parked) {
        review(lookup, one);
      }
    }
    lookup.commit();
  }

  private void review(Connection lookup, ParkedEntry parked) throws SQLException {
    Entry entry = parked.entry();
    if (writer.insert(lookup, List.of(entry)) == 1) {
      settle(lookup, parked);
      return;
    }
    Tuple holder = writer.read(lookup, List.of(entry.identity())).get(entry.identity());
    if (holder == null) {
      return;
    }
    if (holder.equals(entry.holder())) {
      settle(lookup, parked);
    } else if (!holder.equals(parked.holder()) || parked.holderFence().equals(Lsn.ZERO)) {
      // Another holder than then, or parked by somebody who took no positions: from here on.
      park(lookup, List.of(entry), Map.of(entry.identity(), holder));
    } else if (!parked.duplicate() && passed(parked)) {
      parking.park(
          lookup,
          new ParkedEntry(
              entry, holder, parked.holderFence(), parked.ownFence(), true, parked.since()));
      duplicates.found(index, entry, holder);
    }
  }

  private boolean passed(ParkedEntry parked) {
    ShardId holderShard = index.shardOf(new Entry(parked.entry().identity(), parked.holder()));
    return !positions.applied(holderShard).isBefore(parked.holderFence())
        && !positions.applied(shard).isBefore(parked.ownFence());
  }

  private void settle(Connection lookup, ParkedEntry parked) throws SQLException {
    parking.cancel(lookup, List.of(parked.entry()));
    if (parked.duplicate()) {
      duplicates.gone(index, parked.entry());
    }
  }

  @Override
  public void reset() {
    sessions.close();
    rows.takeBack();
    somethingParked = true;
  }
}
