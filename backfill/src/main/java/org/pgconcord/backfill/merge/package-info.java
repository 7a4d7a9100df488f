/**
 * Merges sorted runs. {@link org.pgconcord.backfill.merge.LoserTree} yields the rows of many runs
 * in one order; {@link org.pgconcord.backfill.merge.RangePlan} cuts all runs at the same keys, so
 * that ranges can be merged, loaded and resumed one by one. Knows files only through cursors, and
 * no server.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.merge;
