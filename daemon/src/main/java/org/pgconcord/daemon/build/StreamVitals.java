package org.pgconcord.daemon.build;

/**
 * How one owner shard's stream is: what is behind, and what its server keeps for it.
 *
 * @param lagBytes log between what is applied and the server's end
 * @param lagSeconds age of the oldest change not applied yet, as far as it can be told
 */
public record StreamVitals(long lagBytes, double lagSeconds, long walRetainedBytes) {
  public static final StreamVitals UNKNOWN = new StreamVitals(0, 0, 0);
}
