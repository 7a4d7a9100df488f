package org.pgconcord.config.statistics;

import java.util.Map;
import java.util.Optional;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;

/** What was last read of each index's lookup table; nothing of one that was never analyzed. */
public record IndexStatistics(Map<GsiName, Map<ShardId, EntryStatistics>> indexes) {
  public static final IndexStatistics NONE = new IndexStatistics(Map.of());

  public IndexStatistics {
    indexes = Map.copyOf(indexes);
  }

  /** Of the entries on one lookup shard. */
  public Optional<EntryStatistics> of(GsiName gsi, ShardId lookup) {
    return Optional.ofNullable(indexes.getOrDefault(gsi, Map.of()).get(lookup));
  }
}
