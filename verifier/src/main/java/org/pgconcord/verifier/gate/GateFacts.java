package org.pgconcord.verifier.gate;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.verifier.report.VerificationReport;

/**
 * What the gate looks at, all of one moment.
 *
 * @param report the last stored one of this index
 * @param definitionHash of the definition as it is now
 * @param topologyRevision the catalog's revision as it is now
 * @param epoch the index's epoch as it is now
 * @param tables {@code shard/schema.table} of the owner and lookup tables -> the version of its
 *     definition as it is now; empty for a shard that does not answer
 * @param streams each owner shard's stream; empty for a shard without one
 * @param openParked inserts that wait for another shard's delete
 * @param conflicts keys with several owners
 */
public record GateFacts(
    Optional<VerificationReport> report,
    String definitionHash,
    long topologyRevision,
    long epoch,
    Map<String, Optional<Table>> tables,
    Instant now,
    Map<ShardId, Optional<Stream>> streams,
    long openParked,
    long conflicts) {
  public GateFacts {
    tables = java.util.Collections.unmodifiableMap(new TreeMap<>(tables));
    streams = java.util.Collections.unmodifiableMap(new TreeMap<>(streams));
  }

  /**
   * A table's definition.
   *
   * @param mark of the version, to be compared with a report's
   * @param seenAt when the version was first seen
   * @param at where the shard's log stood then
   */
  public record Table(String mark, Instant seenAt, Lsn at) {}

  /** How far a stream is. */
  public record Stream(Lsn applied, Duration lag) {}
}
