/**
 * The promises of pgConcord as a check on the shards themselves: it reads owner rows and entries
 * past every router and engine, by plain SQL, and compares them here. Every end-to-end test ends
 * with it. Entry types: {@link org.pgconcord.testkit.invariant.InvariantChecker} for owner rows and
 * entries, {@link org.pgconcord.testkit.invariant.CopyChecker} for reference tables, {@link
 * org.pgconcord.testkit.invariant.Ledger} for what clients were told and {@link
 * org.pgconcord.testkit.invariant.Residue} for what is left on servers. Knows nothing of how
 * entries are kept, so that it cannot share a mistake with what it checks.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.invariant;
