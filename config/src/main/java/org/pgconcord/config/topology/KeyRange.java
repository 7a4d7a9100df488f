package org.pgconcord.config.topology;

import org.pgconcord.config.value.ShardId;

/**
 * A half-open range of routing values on one shard. The bounds are the document's texts in lower
 * case; the empty text is an open bound. What they mean is the {@link RoutingSpace} of the index
 * with which the group is read.
 */
public record KeyRange(ShardId shard, String start, String end) {

  /** {@code [80, c0)}; an open bound is left out. */
  public String bounds() {
    return "[" + start + ", " + end + ")";
  }
}
