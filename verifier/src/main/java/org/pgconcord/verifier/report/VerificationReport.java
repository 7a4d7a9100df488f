package org.pgconcord.verifier.report;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outcome of one verification of one index. Stored as JSON ({@link ReportJson}); enabling is
 * bound to one that is clean and fresh.
 *
 * @param id random, its own and not the catalog's number
 * @param gsi full name
 * @param definitionHash of the definition that was verified ({@code DefinitionHash})
 * @param topologyRevision the catalog's revision when it began
 * @param epoch the index's epoch when it began
 * @param state the index's state when it began, lower case
 * @param tables {@code shard/schema.table} -> the version of its definition before it began; empty
 *     in reports of format 1
 * @param positions owner shard -> the log position of its snapshot
 * @param complete false when there were so many differences that the counts are lower bounds
 * @param skippedShards shards that could not be compared
 * @param repaired entries changed by the settlement, when it was told to repair
 */
public record VerificationReport(
    String id,
    String gsi,
    String definitionHash,
    long topologyRevision,
    long epoch,
    String state,
    Map<String, String> tables,
    Instant startedAt,
    Instant finishedAt,
    Map<String, String> positions,
    Counts counts,
    List<Sample> samples,
    boolean complete,
    List<String> skippedShards,
    long repaired) {
  /** Raised when the document changes; version N reads N-1. */
  public static final int FORMAT = 2;

  public VerificationReport {
    tables = java.util.Collections.unmodifiableMap(new TreeMap<>(tables));
    positions = java.util.Collections.unmodifiableMap(new TreeMap<>(positions));
    samples = List.copyOf(samples);
    skippedShards = List.copyOf(skippedShards);
  }

  /** Nothing is wrong and nothing was left out. */
  public boolean clean() {
    return counts.wrong() == 0 && complete && skippedShards.isEmpty();
  }
}
