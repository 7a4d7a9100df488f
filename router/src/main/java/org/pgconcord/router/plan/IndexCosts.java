package org.pgconcord.router.plan;

import org.pgconcord.config.statistics.IndexStatistics;

/**
 * What decides among routes that answer alike.
 *
 * @param wideAllowed the session lets a statement go to all shards
 */
public record IndexCosts(IndexStatistics statistics, boolean wideAllowed) {
  /** Nothing is known. */
  public static final IndexCosts UNKNOWN = new IndexCosts(IndexStatistics.NONE, true);
}
