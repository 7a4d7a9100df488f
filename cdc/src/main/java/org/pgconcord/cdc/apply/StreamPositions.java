package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.pgconcord.cdc.slot.Fences;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.SettlementRunner;

/**
 * How far each owner shard's stream has been applied to everything that follows it. Any thread.
 *
 * <p>A position is what a transaction's commit or a message has reached, so on an idle shard it
 * stands still. {@link #awaitApplied} therefore writes a mark of its own: the mark starts at or
 * after any position that was read before, and once it has come back nothing before it is missing.
 */
public final class StreamPositions {
  private static final Duration MARK_EVERY = Duration.ofSeconds(1);

  private record Position(Lsn lsn, Instant commitTime) {}

  private final SettlementRunner.Sessions sessions;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition moved = lock.newCondition();
  private final Map<ShardId, Position> applied = new HashMap<>();

  public StreamPositions(SettlementRunner.Sessions sessions) {
    this.sessions = sessions;
  }

  /** Everything that committed on the shard up to here is applied; zero before the first. */
  public Lsn applied(ShardId shard) {
    return position(shard).lsn();
  }

  /** When the last applied transaction committed or mark arrived; the epoch before the first. */
  public Instant appliedTime(ShardId shard) {
    return position(shard).commitTime();
  }

  private Position position(ShardId shard) {
    lock.lock();
    try {
      return applied.getOrDefault(shard, new Position(Lsn.ZERO, Instant.EPOCH));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until everything up to {@code target} is applied.
   *
   * @param target a position of that shard that has been reached already
   * @return false when the time ran out
   * @throws SQLException when the shard cannot be asked to write a mark
   */
  public boolean awaitApplied(ShardId shard, Lsn target, Duration limit)
      throws SQLException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (applied(shard).isBefore(target)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try (Connection connection = sessions.open(shard)) {
        Fences.emit(connection, "mark");
      }
      awaitMove(shard, target, Math.min(left, MARK_EVERY.toNanos()));
    }
    return true;
  }

  private void awaitMove(ShardId shard, Lsn target, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (left > 0 && applied(shard).isBefore(target)) {
        left = moved.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  void advance(ShardId shard, Lsn position, Instant commitTime) {
    lock.lock();
    try {
      Position known = position(shard);
      Instant time = known.commitTime().isAfter(commitTime) ? known.commitTime() : commitTime;
      if (!position.isBefore(known.lsn())) {
        applied.put(shard, new Position(position, time));
        moved.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The stream begins again at an earlier position. */
  void rewind(ShardId shard, Lsn position) {
    lock.lock();
    try {
      applied.put(shard, new Position(position, Instant.EPOCH));
    } finally {
      lock.unlock();
    }
  }
}
