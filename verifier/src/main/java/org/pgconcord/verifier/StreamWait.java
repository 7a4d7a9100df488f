package org.pgconcord.verifier;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/** Waiting for streams. */
final class StreamWait {
  private final AppliedPositions positions;
  private final VerifyOptions options;

  StreamWait(AppliedPositions positions, VerifyOptions options) {
    this.positions = positions;
    this.options = options;
  }

  /** Waits for all streams; the shards whose stream has not come in time. */
  List<ShardId> past(Map<ShardId, Lsn> targets) throws SQLException, InterruptedException {
    List<ShardId> late = new ArrayList<>();
    long deadline = System.nanoTime() + options.streamLimit().toNanos();
    for (Map.Entry<ShardId, Lsn> target : targets.entrySet()) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      if (!positions.await(target.getKey(), target.getValue(), left)) {
        late.add(target.getKey());
      }
    }
    return late;
  }

  /** The pause before a round; the first round has none. */
  void pause(int round) throws InterruptedException {
    LockSupport.parkNanos(options.pause().toNanos() * round);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
