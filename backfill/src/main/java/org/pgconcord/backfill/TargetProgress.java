package org.pgconcord.backfill;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/**
 * Writes where each owner shard's stream starts for this index, in the target's progress table.
 * Owned here, implemented by whoever applies the streams.
 */
@FunctionalInterface
public interface TargetProgress {
  /**
   * @param transaction an open transaction on a lookup shard: the one that ends its load; neither
   *     committed nor rolled back here
   */
  void start(Connection transaction, GsiName gsi, Map<ShardId, Lsn> consistentPoints)
      throws SQLException;
}
