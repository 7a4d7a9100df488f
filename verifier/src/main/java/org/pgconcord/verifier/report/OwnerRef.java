package org.pgconcord.verifier.report;

import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;

/** An owner row: where it is, and the holder that its entry must have. */
public record OwnerRef(ShardId shard, Tuple holder) {}
