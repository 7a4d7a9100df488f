/**
 * Small values that every module shares: names of tables, shards and indexes, and positions in a
 * shard's log. Each checks itself in its constructor; none knows a socket, a file or a clock.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.value;
