package org.pgconcord.testkit.invariant;

import java.sql.Connection;
import java.sql.SQLException;
import org.pgconcord.config.value.ShardId;

/** Opens a session on a shard, past every router. */
@FunctionalInterface
public interface Sessions {
  Connection open(ShardId shard) throws SQLException;
}
