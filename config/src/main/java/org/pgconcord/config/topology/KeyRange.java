package org.pgconcord.config.topology;

import org.pgconcord.config.value.ShardId;

/**
 * A half-open range of routing values on one shard. The bounds are the document's hex texts in
 * lower case; the empty text is an open bound.
 */
public record KeyRange(ShardId shard, String start, String end) {}
