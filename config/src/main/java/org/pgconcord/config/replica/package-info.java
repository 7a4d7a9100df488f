/**
 * Whether a replica is fresh enough to be read (decision 0025): what primaries have written and
 * when, what replicas have replayed, and the rule that puts the two together. The rule is pure;
 * {@link org.pgconcord.config.replica.ReplicaWatch} is the shell that asks the servers. Entry type:
 * {@link org.pgconcord.config.replica.Replicas}. Knows nothing of statements.
 */
@NullMarked
package org.pgconcord.config.replica;

import org.jspecify.annotations.NullMarked;
