package org.pgconcord.verifier.report;

import org.pgconcord.config.value.ShardId;

/** An owner row: where it is, and its shard key as text. */
public record OwnerRef(ShardId shard, String shardKey) {}
