package org.pgconcord.verifier;

import java.sql.SQLException;
import java.time.Duration;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/** How far the engine has applied, or from {@code write_only} on audited, each owner's stream. */
public interface AppliedPositions {
  /** Everything that committed on the shard before this position is applied. */
  Lsn applied(ShardId shard);

  /**
   * Waits until {@link #applied} has reached a position.
   *
   * @param position one that the shard's log has reached already
   * @return false when it had not within {@code limit}
   */
  boolean await(ShardId shard, Lsn position, Duration limit)
      throws SQLException, InterruptedException;
}
