/** Runs and their merge, with rows made here. */
@org.jspecify.annotations.NullMarked
package org.pgconcord.backfill.run;
