package org.pgconcord.config.replica;

import java.util.List;
import java.util.Optional;
import org.pgconcord.config.value.ShardId;

/** The shards' replicas, and what they must have replayed. Safe for any thread; never blocks. */
public interface Replicas {
  /** Of shards without any. */
  Replicas NONE =
      new Replicas() {
        @Override
        public List<Sight> of(ShardId shard) {
          return List.of();
        }

        @Override
        public Optional<Floor> floor(ShardId shard, long moment) {
          return Optional.empty();
        }
      };

  /** The replicas that the configuration names for the shard, in its order. */
  List<Sight> of(ShardId shard);

  /**
   * What a replica has replayed that shows the shard as of {@code moment} or later.
   *
   * @param moment of {@link System#nanoTime}
   * @return empty while the primary has not been heard of since then
   */
  Optional<Floor> floor(ShardId shard, long moment);
}
