/**
 * What the servers' own statistics say of the entries of global secondary indexes: how many a key
 * has, and of how many owners (decision 0027). For choosing between routes that answer alike; wrong
 * statistics cost time, never an answer. Entry type: {@link
 * org.pgconcord.config.statistics.IndexStatistics}. Knows nothing of statements.
 */
@NullMarked
package org.pgconcord.config.statistics;

import org.jspecify.annotations.NullMarked;
