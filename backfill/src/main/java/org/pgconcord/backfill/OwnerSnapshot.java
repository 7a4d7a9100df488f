package org.pgconcord.backfill;

import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;

/**
 * An owner shard's snapshot, exported when its replication slot was made.
 *
 * @param consistentPoint where the slot's stream begins: everything that committed before is in the
 *     snapshot, everything after is in the stream
 * @param name as {@code SET TRANSACTION SNAPSHOT} takes it
 */
public record OwnerSnapshot(ShardId shard, Lsn consistentPoint, String name, Hold hold) {
  /** The session that exported the snapshot and keeps it importable. */
  public interface Hold {
    boolean alive();

    /** Called once, when all runs of the shard are durable. */
    void release();
  }
}
