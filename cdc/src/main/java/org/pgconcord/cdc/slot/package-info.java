/**
 * Replication slots, publications and fences, by PgJDBC. {@link org.pgconcord.cdc.slot.Slots} makes
 * a slot with its exported snapshot, drops it, and says how it is; {@link
 * org.pgconcord.cdc.slot.Publications} publishes an owner table after checking its replica identity
 * under a lock; {@link org.pgconcord.cdc.slot.Fences} writes marks into the log. Every name carries
 * the catalog's cluster id, so that two clusters on one server never meet and leftovers of a
 * crashed start are recognised as ours.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.cdc.slot;
