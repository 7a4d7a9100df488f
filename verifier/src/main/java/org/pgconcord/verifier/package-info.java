/**
 * Proves that a lookup table says what the owners' rows say, or names what it does not (PROTOCOL
 * 11). Entry types: {@link org.pgconcord.verifier.Verifier} for an index, {@link
 * org.pgconcord.verifier.reference.ReferenceVerifier} for the copies of a reference table.
 *
 * <p>{@code sum} has servers hash and add entries; {@code correct} holds snapshots and what the
 * streams know beyond them; {@code search} finds the keys that differ; {@code settle} decides about
 * single keys under locks; {@code report} is what comes out and {@code gate} what it is worth. It
 * reads tables and asks for positions; it writes nothing but repairs that the settlement makes.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier;
