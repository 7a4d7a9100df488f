/**
 * Compares the copies of a reference table by content: the bytes of their columns' text output.
 * Entry type: {@link org.pgconcord.verifier.reference.ReferenceVerifier}. The copy on the shard
 * with the lowest uid leads, as it does for writes; the others are held against it.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.reference;
