/**
 * From a key's text to the shard that holds it. {@link org.pgconcord.config.sharding.KeyType} says
 * what kind of value a column has, {@link org.pgconcord.config.sharding.ShardKeyEncoder} gives each
 * value its one canonical byte string (equal in PostgreSQL, equal bytes), {@link
 * org.pgconcord.config.sharding.XxHash} hashes it, and {@link
 * org.pgconcord.config.sharding.ShardLocator} finds the hash, the number or the bucket in a group's
 * key ranges. {@link org.pgconcord.config.sharding.KeyConversion} brings a constant of another type
 * to the column's. The forms are fixed for ever: docs/routing.md describes them and the golden
 * vectors hold them. Nothing here knows a connection, a clock or a document.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.sharding;
