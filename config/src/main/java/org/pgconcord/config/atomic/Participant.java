package org.pgconcord.config.atomic;

import org.pgconcord.config.value.ShardId;

/**
 * One transaction on one shard, part of a transaction over several.
 *
 * @param database the logical database
 * @param role that prepares it
 */
public record Participant(GlobalId gid, String database, String role) {
  public Part part() {
    return gid.part();
  }

  public ShardId shard() {
    return gid.shard();
  }
}
