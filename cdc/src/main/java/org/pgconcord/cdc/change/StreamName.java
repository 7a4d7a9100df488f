package org.pgconcord.cdc.change;

import org.pgconcord.config.value.ShardId;

/**
 * One stream: the changes of one logical database on one owner shard. Logical decoding reads one
 * database, so a shard that holds two logical databases has two streams.
 */
public record StreamName(String database, ShardId shard) implements Comparable<StreamName> {
  @Override
  public int compareTo(StreamName other) {
    int byDatabase = database.compareTo(other.database);
    return byDatabase != 0 ? byDatabase : shard.compareTo(other.shard);
  }

  /** {@code app/shard-a}, the form in logs. */
  @Override
  public String toString() {
    return database + "/" + shard;
  }
}
