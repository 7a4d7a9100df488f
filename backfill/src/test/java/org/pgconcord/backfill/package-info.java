/** Builds on real servers, ended at every step and resumed. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill;
