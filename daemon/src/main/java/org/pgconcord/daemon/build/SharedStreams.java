package org.pgconcord.daemon.build;

import java.util.Collection;
import java.util.Set;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.TableName;

/**
 * What goes with an index that is stopped. One slot and one publication of an owner shard serve
 * every index of the logical database there (docs/decisions/0005), so the slot goes with the last
 * index that needs it, and the owner table leaves the publication with the last index that owns it.
 * Pure.
 */
final class SharedStreams {
  private final GsiName stopped;
  private final Collection<User> users;

  /**
   * @param users all indexes of the cluster; the stopped one may be among them
   */
  SharedStreams(GsiName stopped, Collection<User> users) {
    this.stopped = stopped;
    this.users = users;
  }

  /** An index and the streams that it would read. */
  record User(GsiName gsi, GsiState state, TableName owner, Set<ShardId> shards) {
    User {
      shards = Set.copyOf(shards);
    }
  }

  /** Nobody else needs the slot: dropping it takes nothing from anyone. */
  boolean lastOn(ShardId shard) {
    return users.stream().noneMatch(user -> otherOn(shard, user));
  }

  /** Nobody else owns rows of the table by the stream. */
  boolean lastOf(TableName owner, ShardId shard) {
    return users.stream().noneMatch(user -> otherOn(shard, user) && user.owner().equals(owner));
  }

  private boolean otherOn(ShardId shard, User user) {
    return !user.gsi().equals(stopped)
        && user.gsi().database().equals(stopped.database())
        && user.state().needsStreams()
        && user.shards().contains(shard);
  }
}
