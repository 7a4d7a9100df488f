/**
 * RocksDB, and the only package that sees it. {@link org.pgconcord.state.store.StateStore} opens
 * one directory with a fixed set of tables; {@link org.pgconcord.state.store.Table} gives a typed
 * view of one; {@link org.pgconcord.state.store.StateBatch} changes several at once, atomically. A
 * directory that is missing, damaged or of another format is made anew: that costs time, never an
 * answer.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.state.store;
