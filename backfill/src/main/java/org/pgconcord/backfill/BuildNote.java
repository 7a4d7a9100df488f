package org.pgconcord.backfill;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.pgconcord.backfill.export.BlockRange;
import org.pgconcord.backfill.run.RunNote;

/**
 * All that is remembered here of one build, stored as one JSON value: a change replaces it whole.
 *
 * @param build random; names the build's directory
 * @param attempt raised when runs are thrown away: what was loaded from them must go too
 * @param definition what the build is of; another definition is another build
 * @param shards owner shard -> its part
 * @param cuts lookup shard -> the keys between its load's ranges, once all shards are exported
 * @param loaded true when the target has everything
 */
public record BuildNote(
    String build,
    int attempt,
    String definition,
    Map<String, ShardNote> shards,
    Map<String, List<byte[]>> cuts,
    boolean loaded) {
  public BuildNote {
    shards = Map.copyOf(shards);
    cuts = Map.copyOf(cuts);
  }

  /**
   * One owner shard's part.
   *
   * @param consistentPoint of the snapshot that all its runs come from
   * @param ranges the table's parts, each with one run for each lookup shard
   * @param rowsEstimated of the whole shard
   */
  public record ShardNote(
      String consistentPoint, List<BlockRange> ranges, List<RunNote> runs, long rowsEstimated) {
    public ShardNote {
      ranges = List.copyOf(ranges);
      runs = List.copyOf(runs);
    }

    public boolean complete() {
      return runs.stream().map(RunNote::range).distinct().count() == ranges.size();
    }

    public boolean hasRun(int range) {
      return runs.stream().anyMatch(run -> run.range() == range);
    }

    ShardNote with(List<RunNote> added) {
      List<RunNote> more = new ArrayList<>(runs);
      more.addAll(added);
      return new ShardNote(consistentPoint, ranges, more, rowsEstimated);
    }

    public long rows() {
      return runs.stream().mapToLong(RunNote::rows).sum();
    }

    public long bytes() {
      return runs.stream().mapToLong(RunNote::dataBytes).sum();
    }
  }

  /** The name of the attempt in the target: its claim on the lookup table. */
  String claimName() {
    return build + "." + attempt;
  }

  BuildNote withShard(String shard, ShardNote note) {
    Map<String, ShardNote> more = new TreeMap<>(shards);
    more.put(shard, note);
    return new BuildNote(build, attempt, definition, more, cuts, loaded);
  }

  BuildNote withoutShard(String shard) {
    Map<String, ShardNote> fewer = new TreeMap<>(shards);
    fewer.remove(shard);
    return new BuildNote(build, attempt + 1, definition, fewer, Map.of(), loaded);
  }

  BuildNote withCuts(String lookup, List<byte[]> keys) {
    Map<String, List<byte[]>> more = new TreeMap<>(cuts);
    more.put(lookup, keys);
    return new BuildNote(build, attempt, definition, shards, more, loaded);
  }

  BuildNote asLoaded() {
    return new BuildNote(build, attempt, definition, shards, cuts, true);
  }
}
