package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.SettlementRunner;

/**
 * The time in which the streams leave one index's entries alone although it is {@code tailing}, so
 * that wrong ones can be settled there. A daemon that is killed on a step down leaves such entries:
 * a PRE that has committed and whose MAIN has not shows in no stream, and blind application never
 * looks at a row.
 *
 * <h2>Invariant</h2>
 *
 * The applier's: at position P of stream <i>i</i>, the entries that name rows of shard <i>i</i>, in
 * the lookup table and parked, are exactly those of shard <i>i</i>'s rows at P. It is suspended
 * from the pause on, and holds again once each stream has passed where its server's log stood at
 * the resumption.
 *
 * <h2>Why</h2>
 *
 * Let A be the position at the pause. When the pause begins the last blind transaction has ended,
 * everything up to A has had its effect, and every transaction up to A is visible to new snapshots
 * (the server sends a commit before that). From then on the settlement alone writes: routers do not
 * maintain in {@code tailing}, and the tail of a paused index neither applies, nor reviews what is
 * parked, nor moves the progress row; so the slot keeps everything after A. Take one entry (X, t)
 * of shard <i>i</i> whose key was settled, by a fresh read at a moment T.
 *
 * <ul>
 *   <li><b>Its last change on shard i is not after A</b> (or there is none: surplus). The truth of
 *       (X, t) is the same at A, at T and afterwards. The read at T sees it, since A was visible;
 *       so the settlement leaves (X, t) there if its row is there, unless another row holds the
 *       key, and gone if not. No later change will name it, so no stream touches it.
 *   <li><b>Its last change is after A</b>, committed before T or after, or still uncommitted at T:
 *       nobody takes key locks here, so the settlement may see such a row or not. Either way the
 *       replay from A brings the change, and what it says last is what stays: a removal takes the
 *       entry if it is there, an addition finds it there, inserts it, or is parked ({@link
 *       EntryRound}). What the settlement made of it in between is overwritten.
 * </ul>
 *
 * <p><b>Entries from the future.</b> The settlement may insert (X, t) before the stream has come to
 * the row's change. A replayed addition of another shard's (X, u), whose removal is further on,
 * then meets it and is parked with positions that are taken at that moment, so behind that removal:
 * the removal cancels it, and it is not taken for a duplicate. If no removal comes, two rows own
 * the key. An older removal of (X, t) itself may take the entry away for a while; the addition that
 * the settlement saw comes after it.
 *
 * <p><b>A kill during the pause.</b> The progress row is at A. The next daemon begins blindly at A,
 * which is the resumption. A settlement whose last statement is still under way on the server holds
 * the entry's row lock, and the replay's statements wait for it.
 *
 * <p><b>Other indexes on the stream</b> go on. At the resumption the stream begins again where the
 * slot is, and each index skips what it has had; until the paused one has caught up, {@link
 * StreamPositions} says the position that all have reached.
 */
public final class StreamPause {
  private final GsiName gsi;
  private final Map<ShardId, Tail> tails;

  private StreamPause(GsiName gsi, Map<ShardId, Tail> tails) {
    this.gsi = gsi;
    this.tails = tails;
  }

  static StreamPause begin(
      GsiName gsi, Map<ShardId, Tail> tails, SettlementRunner.Sessions sessions)
      throws SQLException {
    StreamPause pause = new StreamPause(gsi, Map.copyOf(tails));
    try {
      for (Map.Entry<ShardId, Tail> tail : tails.entrySet()) {
        List<Long> before = tail.getValue().pause(gsi).join();
        try (Connection owner = sessions.open(tail.getKey())) {
          Xids.awaitVisible(owner, before);
        }
      }
      return pause;
    } catch (SQLException | RuntimeException e) {
      pause.end();
      throw e;
    }
  }

  /** Blind application goes on from where it was; safe to repeat. */
  public void end() {
    tails.values().stream().map(tail -> tail.resume(gsi)).toList().forEach(done -> done.join());
  }
}
