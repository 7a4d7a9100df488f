/**
 * Fills a lookup table from the owner shards' exported snapshots. Entry type: {@link
 * org.pgconcord.backfill.Backfill}.
 *
 * <p>The stages are the packages: {@code export} reads the owners in their snapshots and leaves
 * sorted runs on this machine ({@code run}, ordered by {@code order}); {@code merge} joins the runs
 * and cuts them into key ranges; {@code load} puts each range into the lookup table in one
 * transaction. What is done is in {@link org.pgconcord.backfill.BuildNote} here and, for the load,
 * in the target's own {@code pgconcord.backfill} table, which decides.
 *
 * <p>It knows no change stream and no state machine: who calls it holds the snapshots, and starts
 * the tail from their consistent points afterwards.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill;
