package org.pgconcord.config.atomic;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A transaction of {@code tx_mode = multi} that ended on some of its shards otherwise than on
 * others, or on one in a way that nobody saw.
 *
 * @param endedAt by the router's clock
 * @param database the logical one
 * @param user who ran it
 * @param outcomes shard -> {@code committed}, {@code rolled back} or {@code unknown}, in the order
 *     of the commits
 * @param cause what ended the sequence of commits
 */
public record PartialCommit(
    Instant endedAt, String database, String user, Map<String, String> outcomes, String cause) {
  public PartialCommit {
    outcomes = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(outcomes));
  }
}
