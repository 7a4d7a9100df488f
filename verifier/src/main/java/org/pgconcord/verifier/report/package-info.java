/**
 * What a verification found, as records and as the stored JSON document (docs/formats.md). Pure.
 */
@org.jspecify.annotations.NullMarked
package org.pgconcord.verifier.report;
