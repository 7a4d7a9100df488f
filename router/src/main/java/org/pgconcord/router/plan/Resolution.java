package org.pgconcord.router.plan;

import org.pgconcord.config.value.ShardId;

/** Where a bound statement goes. */
public sealed interface Resolution {
  /** Everything the statement touches is on this shard. */
  record One(ShardId shard) implements Resolution {}

  /** Not provably one shard with these values; the plan's {@code otherwise} is to be run. */
  record NotOne(String reason) implements Resolution {}
}
