/**
 * Change capture: what an owner shard committed, in commit order, and what becomes of it.
 *
 * <ul>
 *   <li>{@code change}: what a stream delivers (transactions, row changes, messages) and the {@link
 *       org.pgconcord.cdc.change.ChangeStream} that delivers it;
 *   <li>{@code source}: the one reader, Debezium Embedded without offsets;
 *   <li>{@code slot}: replication slots, publications, fences and their health, by PgJDBC;
 *   <li>{@code apply}: the tail of one owner shard, blind application, audit, positions.
 * </ul>
 *
 * <p>The order of durability is the rule that everything here serves: entries with their progress
 * row, then RocksDB, then the slot. This package knows no backfill and no verifier; their order is
 * the business of the daemon.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.cdc;
