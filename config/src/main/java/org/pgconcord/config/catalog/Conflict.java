package org.pgconcord.config.catalog;

import org.pgconcord.config.value.ShardId;

/**
 * One of several owners of a key that must have one.
 *
 * @param key the indexed value as PostgreSQL text
 * @param primaryKey of the owner row, {@code (7, 12)}; empty when not known
 */
public record Conflict(String key, ShardId shard, String shardKey, String primaryKey) {}
