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
 * @param lastDdl when a change of the owner's or lookup table's definition was last seen
 * @param streams each owner shard's stream; empty for a shard without one
 * @param openParked inserts that wait for another shard's delete
 * @param conflicts keys with several owners
 */
public record GateFacts(
    Optional<VerificationReport> report,
    String definitionHash,
    long topologyRevision,
    long epoch,
    Optional<Instant> lastDdl,
    Instant now,
    Map<ShardId, Optional<Stream>> streams,
    long openParked,
    long conflicts) {
  public GateFacts {
    streams = java.util.Collections.unmodifiableMap(new TreeMap<>(streams));
  }

  /** How far a stream is. */
  public record Stream(Lsn applied, Duration lag) {}
}
