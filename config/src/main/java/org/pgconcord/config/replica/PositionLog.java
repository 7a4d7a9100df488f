package org.pgconcord.config.replica;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import org.pgconcord.config.settings.ServerIdentity;
import org.pgconcord.config.value.Lsn;

/**
 * Where a primary's log ended, and when: the measure of its replicas' lag. Times are this process's
 * {@link System#nanoTime}; servers' clocks are not looked at.
 *
 * <h2>The measure</h2>
 *
 * A question sent at moment {@code s} is answered with the position {@code p} up to which the log
 * was flushed at some moment not before {@code s}. What a client had been told was committed by
 * {@code s} is below {@code p}. So whatever has replayed up to {@code p} shows the database as of
 * {@code s} or later. A primary that writes nothing goes on giving the same {@code p} with later
 * moments, so that its replicas stay fresh; a replica that receives nothing stays below the next
 * {@code p} of a primary that writes; and while the primary is silent no new moment is known, so
 * that every replica ages.
 *
 * <p>Equal positions in a row are kept as one, with the last of their moments. Safe for use by
 * several threads.
 */
final class PositionLog {
  private static final int ENTRIES_MOST = 4_096;

  private record Seen(Lsn lsn, long at) {}

  private final Deque<Seen> seen = new ArrayDeque<>();
  private Optional<ServerIdentity> primary = Optional.empty();

  /**
   * The primary answered.
   *
   * @param askedAt when the question was sent
   */
  synchronized void add(ServerIdentity server, Lsn lsn, long askedAt) {
    Optional<Seen> last = Optional.ofNullable(seen.peekLast());
    boolean continues =
        primary.equals(Optional.of(server)) && last.map(l -> !lsn.isBefore(l.lsn())).orElse(true);
    if (!continues) {
      // Another log: what is known of the one before says nothing about this one.
      seen.clear();
      primary = Optional.of(server);
    } else if (last.map(l -> l.lsn().equals(lsn)).orElse(false)) {
      seen.removeLast();
    } else if (seen.size() == ENTRIES_MOST) {
      seen.removeFirst();
    }
    seen.addLast(new Seen(lsn, askedAt));
  }

  /** The lowest position that shows the database as of {@code moment} or later, if one is known. */
  synchronized Optional<Floor> floor(long moment) {
    for (Seen one : seen) {
      if (one.at() - moment >= 0) {
        return primary.map(server -> new Floor(server, one.lsn()));
      }
    }
    return Optional.empty();
  }

  /** The newest position that is known. */
  synchronized Optional<Floor> newest() {
    return primary.flatMap(
        server -> Optional.ofNullable(seen.peekLast()).map(one -> new Floor(server, one.lsn())));
  }

  /** How old at most what shows that far is; empty when it is older than all that is known. */
  synchronized Optional<Duration> age(Lsn replayed, long now) {
    for (Iterator<Seen> latest = seen.descendingIterator(); latest.hasNext(); ) {
      Seen one = latest.next();
      if (!replayed.isBefore(one.lsn())) {
        return Optional.of(Duration.ofNanos(now - one.at()));
      }
    }
    return Optional.empty();
  }
}
