package org.pgconcord.backfill;

/**
 * What a finished build did, over all its starts.
 *
 * @param rows entries in the lookup table
 * @param duplicateRows owner rows without an entry because their key has another owner
 * @param nullViolations owner rows with a NULL that the index does not allow
 */
public record BackfillResult(long rows, long duplicateRows, long nullViolations) {}
