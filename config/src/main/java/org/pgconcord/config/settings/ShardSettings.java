package org.pgconcord.config.settings;

import java.util.List;
import java.util.Map;

/**
 * How one shard is reached.
 *
 * @param hosts tried in order; the primary is found by asking
 * @param replicas standbys that may answer reads; nothing is ever written there, whatever they say
 *     they are. A server may be in both lists
 * @param sslmode as in libpq
 * @param databases logical database -> its name on this shard, where the two differ
 */
public record ShardSettings(
    List<ShardAddress> hosts,
    List<ShardAddress> replicas,
    String sslmode,
    Map<String, String> databases) {
  public ShardSettings {
    hosts = List.copyOf(hosts);
    replicas = List.copyOf(replicas);
    databases = Map.copyOf(databases);
    if (hosts.isEmpty()) {
      throw new IllegalArgumentException("a shard needs a host");
    }
  }

  /** Of a shard without replicas. */
  public ShardSettings(List<ShardAddress> hosts, String sslmode, Map<String, String> databases) {
    this(hosts, List.of(), sslmode, databases);
  }

  /** The name on this shard of a logical database. */
  public String database(String logicalDatabase) {
    return databases.getOrDefault(logicalDatabase, logicalDatabase);
  }
}
