package org.pgconcord.config.value;

import com.fasterxml.jackson.annotation.JsonValue;

/** The name of one shard (a PostgreSQL server), as in the topology's {@code shard_uid}. */
public record ShardId(String uid) implements Comparable<ShardId> {
  public ShardId {
    if (uid.isEmpty()) {
      throw new IllegalArgumentException("a shard's uid is empty");
    }
  }

  @Override
  public int compareTo(ShardId other) {
    return uid.compareTo(other.uid);
  }

  /** The uid; also what a shard is in JSON. */
  @JsonValue
  @Override
  public String toString() {
    return uid;
  }
}
