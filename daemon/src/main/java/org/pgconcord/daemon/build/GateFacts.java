package org.pgconcord.daemon.build;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.catalog.GsiState;
import org.pgconcord.config.value.ShardId;

/**
 * All that the gate looks at, at one moment.
 *
 * @param revision the catalog's current one
 * @param definition hash of the index's definition as the topology and the tables have it now
 * @param ddlSeenAt the last DDL on owner or lookup table that the streams or comparisons showed
 * @param streams one per owner shard
 * @param conflicts keys with several owners, not resolved
 * @param parked inserts that wait for another shard's stream
 * @param schemaFindings what the shards' tables lack or where they differ
 */
public record GateFacts(
    GsiState state,
    long revision,
    String definition,
    Optional<Report> report,
    Optional<Instant> ddlSeenAt,
    Map<ShardId, Stream> streams,
    long conflicts,
    long parked,
    List<String> schemaFindings,
    Instant now) {
  public GateFacts {
    streams = Map.copyOf(streams);
    schemaFindings = List.copyOf(schemaFindings);
  }

  /**
   * The stored report that the gate would be bound to.
   *
   * @param differences what it found, as one line; empty when clean
   */
  public record Report(
      String id, boolean clean, String differences, long revision, String definition, Instant at) {}

  /**
   * A stream as it is now.
   *
   * @param pastReport it has applied everything up to the report's position on its shard
   */
  public record Stream(boolean running, double lagSeconds, boolean pastReport) {}
}
