package org.pgconcord.router.backend;

import java.util.LinkedHashMap;
import java.util.Map;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.auth.BackendSecret;

/**
 * What a backend is to be: where, as whom, with which startup settings.
 *
 * @param user the role to log in as
 * @param parameters settings of the startup packet, in order
 */
public record BackendTarget(
    ShardId shard,
    BackendRole role,
    String logicalDatabase,
    String user,
    BackendSecret secret,
    Map<String, String> parameters) {
  /** A peer that is gone without a word is found out after a minute, by either side. */
  static final int KEEPALIVE_IDLE_SECONDS = 30;

  static final int KEEPALIVE_INTERVAL_SECONDS = 10;
  static final int KEEPALIVE_COUNT = 3;

  public BackendTarget {
    parameters = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
  }

  /** The startup packet's parameters; what the router depends on comes last and wins. */
  Map<String, String> startup(String database) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("user", user);
    all.put("database", database);
    all.putAll(parameters);
    all.put("client_encoding", "UTF8");
    all.put("standard_conforming_strings", "on");
    all.put("tcp_keepalives_idle", String.valueOf(KEEPALIVE_IDLE_SECONDS));
    all.put("tcp_keepalives_interval", String.valueOf(KEEPALIVE_INTERVAL_SECONDS));
    all.put("tcp_keepalives_count", String.valueOf(KEEPALIVE_COUNT));
    return all;
  }
}
