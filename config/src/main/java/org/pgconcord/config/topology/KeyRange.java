package org.pgconcord.config.topology;

import org.pgconcord.config.value.ShardId;

/**
 * A half-open range of routing values on one shard. The bounds are the document's hex texts in
 * lower case; the empty text is an open bound.
 */
public record KeyRange(ShardId shard, String start, String end) {

  /** The start as an unsigned number: a hex prefix of its 16 digits; an open start counts as 0. */
  public long startValue() {
    return leftAligned(start);
  }

  /** The end as an unsigned number; without meaning for an open end. */
  long endValue() {
    return leftAligned(end);
  }

  boolean isEmpty() {
    return !end.isEmpty() && Long.compareUnsigned(startValue(), endValue()) >= 0;
  }

  /** Whether a routing value is in the range (all of them unsigned). */
  public boolean contains(long routingValue) {
    return Long.compareUnsigned(startValue(), routingValue) <= 0
        && (end.isEmpty() || Long.compareUnsigned(routingValue, endValue()) < 0);
  }

  /** {@code [80, c0)}; an open bound is left out. */
  public String bounds() {
    return "[" + start + ", " + end + ")";
  }

  private static long leftAligned(String hexPrefix) {
    return Long.parseUnsignedLong((hexPrefix + "0000000000000000").substring(0, 16), 16);
  }
}
