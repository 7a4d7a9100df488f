/**
 * From a delivered transaction to true entries. One {@link org.pgconcord.cdc.apply.Tail} per owner
 * shard takes transactions from its stream, hands them to every index on it, and acknowledges what
 * is durable. An index is served in one of two ways: blindly by the {@link
 * org.pgconcord.cdc.apply.Applier} while the engine is the sole writer of its entries, or by the
 * {@link org.pgconcord.cdc.apply.Auditor}, which settles each key by locks and fresh reads, from
 * {@code write_only} on. {@link org.pgconcord.cdc.apply.Tails} is the entry type.
 *
 * <p>Entries are derived by {@code gsi} alone. Nothing here knows Debezium or RocksDB, and nobody
 * here steps a state: that is the daemon's.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.cdc.apply;
