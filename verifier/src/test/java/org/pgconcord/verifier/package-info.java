/** Verifications on real servers, with faults planted and writers at work. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier;
