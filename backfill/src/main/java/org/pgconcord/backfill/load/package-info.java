/**
 * Phase 2: merged ranges into the lookup table, each in one transaction with the row that says so.
 * Entry type: {@link org.pgconcord.backfill.load.Load}. Needs no snapshot and no owner shard, but
 * for naming the rows of duplicate keys.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.load;
