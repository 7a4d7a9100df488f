package org.pgconcord.router.backend;

import java.net.InetSocketAddress;
import java.util.List;
import org.pgconcord.config.settings.KnownServers;
import org.pgconcord.config.value.ShardId;

/** Where the shards are. Adapted from the daemon's settings; may change between two calls. */
public interface ShardDirectory {

  /** The servers of one shard; the first that accepts writes is used. Unresolved host names. */
  List<InetSocketAddress> hosts(ShardId shard);

  /** The database on that shard which holds the logical database. */
  String database(ShardId shard, String logicalDatabase);

  /** Which server each shard is. */
  KnownServers known();

  /** Whether connections to the shard are encrypted. */
  default TlsMode tls(ShardId shard) {
    return TlsMode.PREFER;
  }
}
