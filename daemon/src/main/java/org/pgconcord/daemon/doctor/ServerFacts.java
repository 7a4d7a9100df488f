package org.pgconcord.daemon.doctor;

import java.util.List;
import org.pgconcord.config.value.ShardId;

/**
 * What one shard's server says about itself and about the role that asks.
 *
 * @param preparedLimit how many prepared transactions the server may hold
 * @param strangers roles that may connect and that the service role cannot become
 * @param holders transactions that would hold up the making of a slot: prepared, or open for longer
 *     than a minute
 */
public record ServerFacts(
    ShardId shard,
    String database,
    int versionNumber,
    String encoding,
    String walLevel,
    int slotsFree,
    int sendersFree,
    int preparedLimit,
    List<String> strangers,
    Role role,
    List<String> holders) {
  public ServerFacts {
    strangers = List.copyOf(strangers);
    holders = List.copyOf(holders);
  }

  /** The role and its rights in the database. */
  public record Role(
      String name,
      boolean superuser,
      boolean replication,
      boolean bypassRowSecurity,
      boolean createInDatabase) {}
}
