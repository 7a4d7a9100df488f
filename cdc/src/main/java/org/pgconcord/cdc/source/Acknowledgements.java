package org.pgconcord.cdc.source;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.value.Lsn;

/**
 * Which record may be marked as processed, so that the slot moves to its position and no further.
 *
 * <p>Marking a record sends the commit position in its offset to the server, and that position is
 * the record's own only for the END of a transaction and for a message outside of transactions. A
 * row carries the position of the commit before; the engine's heartbeat may carry the position of a
 * transaction whose END has not been delivered yet, and marking it would lose that transaction in a
 * crash. So only those two kinds are ever added, each after it was handed on.
 *
 * @param <R> the record
 */
final class Acknowledgements<R> {
  private record Pending<R>(Lsn position, R record) {}

  private final Deque<Pending<R>> pending = new ArrayDeque<>();

  /** Positions grow from call to call. */
  void add(Lsn position, R record) {
    pending.addLast(new Pending<>(position, record));
  }

  /** The last record at or before {@code durable}, forgetting those before it; null when none. */
  @Nullable R upTo(Lsn durable) {
    @Nullable R last = null;
    for (Pending<R> first = pending.peekFirst();
        first != null && !durable.isBefore(first.position());
        first = pending.peekFirst()) {
      last = first.record();
      pending.removeFirst();
    }
    return last;
  }
}
