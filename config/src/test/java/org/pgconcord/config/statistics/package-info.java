/** Estimates, without servers. */
@NullMarked
package org.pgconcord.config.statistics;

import org.jspecify.annotations.NullMarked;
