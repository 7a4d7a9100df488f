/**
 * Snapshots of all servers of an index, and what the streams know beyond them. {@link
 * org.pgconcord.verifier.correct.SnapshotSet} opens them at about one moment; {@link
 * org.pgconcord.verifier.correct.Correction} is the exact difference between the owners' snapshots
 * and what the lookup table's snapshot has applied.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.correct;
