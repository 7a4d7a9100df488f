/** Tests of entries: derivation, statements, settlement. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.gsi;
