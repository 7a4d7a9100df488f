package org.pgconcord.cdc.apply;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.SettlementRunner;

/**
 * One thread's kept sessions of the service role, one per shard, opened when first needed. After an
 * error all are closed: a session of unknown state is never used again.
 */
final class ShardSessions implements AutoCloseable {
  private final SettlementRunner.Sessions source;
  private final Map<ShardId, Connection> open = new HashMap<>();

  ShardSessions(SettlementRunner.Sessions source) {
    this.source = source;
  }

  Connection on(ShardId shard) throws SQLException {
    Connection known = open.get(shard);
    if (known == null) {
      known = source.open(shard);
      open.put(shard, known);
    }
    return known;
  }

  @Override
  public void close() {
    for (Connection connection : open.values()) {
      try {
        connection.close();
      } catch (SQLException e) {
        // Gone already.
      }
    }
    open.clear();
  }
}
