/**
 * What the daemon remembers between starts, and the life cycle of an index.
 *
 * <ul>
 *   <li>{@code store}: RocksDB behind {@link org.pgconcord.state.store.StateStore}. It holds what
 *       costs time to rebuild, never what decides: the progress row in the target database and the
 *       catalog decide. Deleting the directory is always allowed;
 *   <li>{@code lifecycle}: the pure state machine of a global secondary index.
 * </ul>
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.state;
