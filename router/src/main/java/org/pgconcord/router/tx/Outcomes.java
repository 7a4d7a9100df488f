package org.pgconcord.router.tx;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.ShardErrorException;

/**
 * What became of a transaction on each shard that it wrote to, and how the client is told when that
 * differs. Pure.
 */
final class Outcomes {
  /** One shard's end. Until its COMMIT is sent a shard counts as rolled back. */
  enum Outcome {
    COMMITTED("committed"),
    UNKNOWN("unknown"),
    ROLLED_BACK("rolled back");

    private final String words;

    Outcome(String words) {
      this.words = words;
    }
  }

  private final Map<ShardId, Outcome> byShard = new LinkedHashMap<>();

  Outcomes(List<ShardId> written) {
    written.forEach(shard -> byShard.put(shard, Outcome.ROLLED_BACK));
  }

  void set(ShardId shard, Outcome outcome) {
    byShard.put(shard, outcome);
  }

  boolean has(ShardId shard) {
    return byShard.containsKey(shard);
  }

  /** Both are known to have ended, and in the same way. */
  boolean sameKnown(ShardId one, ShardId other) {
    Outcome outcome = byShard.get(one);
    return outcome != null && outcome != Outcome.UNKNOWN && outcome == byShard.get(other);
  }

  boolean any(Outcome outcome) {
    return byShard.containsValue(outcome);
  }

  /** Shard -> how it ended, in words. */
  Map<String, String> byShard() {
    Map<String, String> words = new LinkedHashMap<>();
    byShard.forEach((shard, outcome) -> words.put(shard.uid(), outcome.words));
    return words;
  }

  /** Such as {@code shard-a: committed; shard-b: rolled back}. */
  String words() {
    return byShard.entrySet().stream()
        .map(e -> e.getKey() + ": " + e.getValue().words)
        .collect(Collectors.joining("; "));
  }

  /** The error for an end that is not the same on all shards, or not known on one. */
  ConcordException toException(Throwable cause) {
    String unknown = names(Outcome.UNKNOWN);
    ConcordException error =
        unknown.isEmpty()
            ? ErrorCode.TX_PARTIAL_COMMIT.because(
                "the transaction is committed on some of its shards only: "
                    + names(Outcome.COMMITTED))
            : ErrorCode.TX_OUTCOME_UNKNOWN.because(
                "the connection to shard " + unknown + " ended while it committed");
    return error.withDetail("Outcome by shard: " + words() + "." + said(cause)).withCause(cause);
  }

  private String names(Outcome outcome) {
    return byShard.entrySet().stream()
        .filter(e -> e.getValue() == outcome)
        .map(e -> e.getKey().uid())
        .collect(Collectors.joining(", "));
  }

  private static String said(Throwable cause) {
    if (cause instanceof ConcordException silent && silent.code() == ErrorCode.SHARD_SILENT) {
      return " " + silent.getMessage() + ".";
    }
    return cause instanceof ShardErrorException error
        ? " Shard %s said: %s".formatted(error.shard(), error.fields().message())
        : "";
  }
}
