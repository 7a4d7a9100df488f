/**
 * Finds the keys that differ. {@link org.pgconcord.verifier.search.Comparison} compares both sides
 * of an index in one set of snapshots; {@link org.pgconcord.verifier.search.RangeSearch} narrows a
 * difference down to small key ranges and reads those; {@link
 * org.pgconcord.verifier.search.KeyState} is what one key has on both sides.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.search;
