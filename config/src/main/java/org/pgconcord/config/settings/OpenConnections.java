package org.pgconcord.config.settings;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ForkJoinPool;
import org.pgconcord.config.value.ShardId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sessions that were handed out, so that those on a server that is followed can be ended. */
final class OpenConnections {
  private static final Logger log = LoggerFactory.getLogger(OpenConnections.class);

  private record Reached(ShardId shard, ServerIdentity server) {}

  private final KnownServers known;
  private final Map<Connection, Reached> open = new WeakHashMap<>();

  OpenConnections(KnownServers known) {
    this.known = known;
    known.onFollowed(shard -> ForkJoinPool.commonPool().execute(() -> end(shard)));
  }

  /** Should the server have been followed meanwhile, it is ended at once. */
  void add(ShardId shard, ServerIdentity server, Connection connection) {
    synchronized (open) {
      open.put(connection, new Reached(shard, server));
    }
    if (known.followed(shard, server)) {
      end(shard);
    }
  }

  private void end(ShardId shard) {
    List<Connection> ended = new ArrayList<>();
    synchronized (open) {
      open.forEach(
          (connection, reached) -> {
            if (reached.shard().equals(shard) && known.followed(shard, reached.server())) {
              ended.add(connection);
            }
          });
      ended.forEach(open::remove);
    }
    for (Connection connection : ended) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        log.debug("not ended shard={}", shard, e);
      }
    }
  }
}
