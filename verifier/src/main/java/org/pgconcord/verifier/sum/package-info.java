/**
 * Entries as SQL sees them, and sums over them. {@link org.pgconcord.verifier.sum.EntrySet} is any
 * set of entries on a server (an owner table, a lookup table, an array that we send); {@link
 * org.pgconcord.verifier.sum.Sums} asks for counts and sums, whole or by key range, always with the
 * same expression.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.sum;
