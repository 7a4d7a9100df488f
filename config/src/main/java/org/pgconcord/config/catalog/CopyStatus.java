package org.pgconcord.config.catalog;

import java.time.Instant;
import org.pgconcord.config.value.ShardId;

/**
 * What the catalog says of one copy.
 *
 * @param unequal true while it is marked
 * @param reason of the mark; empty without one
 * @param changedAt when the mark was set or cleared
 */
public record CopyStatus(ShardId shard, boolean unequal, String reason, Instant changedAt) {}
