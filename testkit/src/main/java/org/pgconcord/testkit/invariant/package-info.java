/**
 * The promises of pgConcord as a check on the shards themselves: it reads owner rows and entries
 * past every router and engine, by plain SQL, and compares them here. Every end-to-end test ends
 * with it. Entry type: {@link org.pgconcord.testkit.invariant.InvariantChecker}. Knows nothing of
 * how entries are kept, so that it cannot share a mistake with what it checks.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.testkit.invariant;
