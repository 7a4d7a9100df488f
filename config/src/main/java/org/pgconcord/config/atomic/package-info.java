/**
 * Two-phase commit over shards: what the catalog remembers of it and how it is ended after a crash.
 * A router registers a transaction with all its participants, prepares them, and inserts the
 * decision ({@link org.pgconcord.config.atomic.DecisionLog}); {@link
 * org.pgconcord.config.atomic.PreparedTransactions} is what the shards hold; {@link
 * org.pgconcord.config.atomic.Resolution} is the pure rule for what comes next, for whoever ends a
 * transaction that its router did not. docs/decisions/0009-atomic-commit.md argues why it holds.
 * Knows no client and no thread.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.config.atomic;
