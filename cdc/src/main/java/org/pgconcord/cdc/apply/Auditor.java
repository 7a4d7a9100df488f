package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.pgconcord.cdc.change.RowChange;
import org.pgconcord.cdc.change.SourceTransaction;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.CoveringSwitch;
import org.pgconcord.gsi.Entry;
import org.pgconcord.gsi.EntryChange;
import org.pgconcord.gsi.LookupIndex;
import org.pgconcord.gsi.Outcome;
import org.pgconcord.gsi.SettlementRunner;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes true whatever the stream of one owner shard shows, while routers write entries too: from
 * before {@code write_only} is published on. It never acts on the stream's word. A change only
 * names keys that deserve a look; the look is a settlement under locks with fresh reads.
 *
 * <h2>Most looks are one comparison</h2>
 *
 * Routers maintain entries inline, so nearly every change is seen when all is already well. Then no
 * lock is needed. For each entry (X, t) take the last thing that the batch says of it:
 *
 * <ul>
 *   <li><b>A row owns (X, t)</b>, and the lookup table has (X, t): nothing to do. The duty of this
 *       change is that its row gets an entry, and it has one. Whoever removes that entry later does
 *       so for a reason of his own: a POST whose MAIN deleted the row, or a settlement that found
 *       no row after excluding its creators.
 *   <li><b>No row owns (X, t) any more</b>, and the lookup table has no entry for X or one that
 *       names another t: nothing to do. The duty is that (X, t) does not stay as surplus, and it is
 *       not there. If the row came again, that change is behind this one in the stream. Whether the
 *       other owner's entry is right is the duty of the other owner's changes.
 *   <li>Otherwise the key is settled.
 * </ul>
 *
 * The comparison reads committed entries without locks, so it can be early: it may not see an entry
 * whose transaction is about to commit, or may still see one whose removal is. Both lead to a
 * settlement, which waits for the entry's lock and finds all well. It can never be wrong in the
 * other direction, for what it relies on (present, or not present, as committed) was true after the
 * change committed, and each later change has its own duty.
 *
 * <h2>The row must be visible</h2>
 *
 * The server sends a commit when it is in the log, which is before the transaction counts as ended
 * for others' snapshots; with a synchronous standby it can be long before. A settlement that reads
 * the owner in that gap finds no row and would leave it without entry for good. So before settling
 * the auditor waits until a snapshot of the owner shard sees the batch's transactions.
 *
 * <h2>What cannot be settled now</h2>
 *
 * A key whose lock is not to be had, and a second owner of a key, are parked in the lookup's own
 * database before the progress row moves, and looked at again until they resolve. The stream is
 * never blocked by them.
 */
final class Auditor implements Target {
  private static final Logger LOG = LoggerFactory.getLogger(Auditor.class);
  private static final int KEYS = 5_000;
  private static final int REVIEW = 200;
  private static final Duration REVIEW_EVERY = Duration.ofMillis(500);
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

  private final LookupIndex index;
  private final ShardId shard;
  private final ShardId target;
  private final EntryReader reader;
  private final LookupWriter writer;
  private final ProgressRow progress;
  private final Parking parking;
  private final ShardSessions sessions;
  private final SettlementRunner settlements;
  private final DuplicateListener duplicates;
  private final AppliedRows rows;
  private final long epoch;
  private long nextReview = System.nanoTime();

  Auditor(TargetContext context, long epoch) {
    this.index = context.index();
    this.shard = context.stream().shard();
    this.target = context.lookup();
    this.reader = EntryReader.at(index, target);
    this.writer = new LookupWriter(index);
    this.progress = new ProgressRow(context.stream(), index.name());
    this.parking = new Parking(context.stream(), index);
    this.sessions = context.sessions();
    this.settlements = new SettlementRunner(index, context.source(), LOCK_TIMEOUT);
    this.duplicates = context.duplicates();
    this.rows = context.rows();
    this.epoch = epoch;
  }

  @Override
  public boolean handle(List<SourceTransaction> transactions, Lsn position) throws SQLException {
    Map<Entry, Boolean> owned = new LinkedHashMap<>();
    Set<Long> xids = new TreeSet<>();
    boolean concerned = false;
    for (SourceTransaction transaction : transactions) {
      for (RowChange change : transaction.changes()) {
        if (reader.touches(change)) {
          concerned = true;
          xids.add(transaction.xid());
          note(change, owned);
          rows.one();
          if (owned.size() >= KEYS) {
            look(owned, xids);
          }
        }
      }
    }
    look(owned, xids);
    if (concerned) {
      advance(position);
      rows.keep();
    }
    return concerned;
  }

  @Override
  public void advance(Lsn position) throws SQLException {
    Connection lookup = lookup();
    progress.advance(lookup, position, epoch);
  }

  private void note(RowChange change, Map<Entry, Boolean> owned) {
    if (reader.isTruncate(change)) {
      throw new OwnerTruncated(index.name(), shard);
    }
    for (EntryChange entry : reader.read(change)) {
      owned.put(entry.entry(), entry.adds());
    }
  }

  private void look(Map<Entry, Boolean> owned, Set<Long> xids) throws SQLException {
    List<Entry> doubtful = doubtful(owned);
    if (!doubtful.isEmpty()) {
      awaitVisible(xids);
      for (Entry entry : doubtful(owned)) {
        settle(entry, false);
      }
    }
    owned.clear();
  }

  private List<Entry> doubtful(Map<Entry, Boolean> owned) throws SQLException {
    if (owned.isEmpty()) {
      return List.of();
    }
    Map<Tuple, Tuple> holders =
        writer.read(lookup(), owned.keySet().stream().map(Entry::identity).distinct().toList());
    List<Entry> doubtful = new ArrayList<>();
    owned.forEach(
        (entry, owns) -> {
          boolean present = entry.holder().equals(holders.get(entry.identity()));
          if (present != owns) {
            doubtful.add(entry);
          }
        });
    return doubtful;
  }

  private void awaitVisible(Set<Long> xids) throws SQLException {
    Connection owner = sessions.on(shard);
    owner.setAutoCommit(true);
    Xids.awaitVisible(owner, xids);
  }

  private void settle(Entry entry, boolean knownDuplicate) throws SQLException {
    Outcome outcome = settlements.settle(entry.identity(), entry.holder());
    if (outcome.changed() || (outcome.kind() == Outcome.Kind.DUPLICATE && !knownDuplicate)) {
      distrust();
    }
    switch (outcome.kind()) {
      case DUPLICATE -> {
        Tuple holder = Objects.requireNonNull(outcome.holder());
        park(entry, holder, true);
        if (!knownDuplicate) {
          duplicates.found(index, entry, holder);
        }
      }
      case UNSETTLED -> park(entry, Tuple.EMPTY, knownDuplicate);
      default -> {
        parking.cancel(lookup(), List.of(entry));
        if (knownDuplicate) {
          duplicates.gone(index, entry);
        }
      }
    }
  }

  /**
   * Something was written that routers did not write, or did not finish. Other entries may be as
   * wrong and not seen yet: a covering index does not answer by itself until a verification is
   * clean.
   */
  private void distrust() throws SQLException {
    if (!index.gsi().covering()) {
      return;
    }
    boolean wasOn = false;
    for (ShardId lookup : index.lookupShards()) {
      Connection connection = sessions.on(lookup);
      connection.setAutoCommit(true);
      wasOn |= new CoveringSwitch(index).off(connection);
    }
    if (wasOn) {
      LOG.info("covering reads are off until a verification is clean gsi={}", index.name());
    }
  }

  private void park(Entry entry, Tuple holder, boolean duplicate) throws SQLException {
    parking.park(
        lookup(), new ParkedEntry(entry, holder, Lsn.ZERO, Lsn.ZERO, duplicate, Instant.EPOCH));
  }

  @Override
  public void review() throws SQLException {
    if (System.nanoTime() - nextReview < 0) {
      return;
    }
    for (ParkedEntry parked : parking.list(lookup(), REVIEW)) {
      settle(parked.entry(), parked.duplicate());
    }
    nextReview = System.nanoTime() + REVIEW_EVERY.toNanos();
  }

  /** The auditor's own statements stand alone, each its own transaction. */
  private Connection lookup() throws SQLException {
    Connection lookup = sessions.on(target);
    lookup.setAutoCommit(true);
    return lookup;
  }

  @Override
  public void reset() {
    sessions.close();
    settlements.close();
    rows.takeBack();
  }
}
