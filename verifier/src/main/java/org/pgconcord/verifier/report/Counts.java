package org.pgconcord.verifier.report;

/**
 * What was counted.
 *
 * @param expected entries that the owners' rows derive to
 * @param actual entries in the lookup table
 * @param inFlight differences that transactions under way explain; they do not count against clean
 */
public record Counts(
    long expected,
    long actual,
    long missing,
    long surplus,
    long wrongOwner,
    long duplicates,
    long nullViolations,
    long misplaced,
    long inFlight) {

  /** Everything that must be 0 for a clean report. */
  long wrong() {
    return missing + surplus + wrongOwner + duplicates + nullViolations + misplaced;
  }
}
