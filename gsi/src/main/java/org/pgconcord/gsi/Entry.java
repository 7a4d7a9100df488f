package org.pgconcord.gsi;

/**
 * One row of a lookup table: the indexed value and the shard key of the row that owns it, both in
 * PostgreSQL's text form under the pinned settings. Equal means equal byte by byte.
 */
public record Entry(String key, String shardKey) {}
