/**
 * Keeping a maintained index's entries while its owner rows are written. {@link
 * org.pgconcord.router.entries.ReturnedRows} reads what a write returned, {@link
 * org.pgconcord.router.entries.EntryOverlay} remembers what the transaction did to each key and
 * decides what that means for the next change, {@link
 * org.pgconcord.router.entries.EntryTransaction} runs the statements in PRE, MAIN and POST. Which
 * statements, and when an entry may change hands, comes from {@code gsi}.
 *
 * <p>Everything here happens on the session's event loop.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.router.entries;
