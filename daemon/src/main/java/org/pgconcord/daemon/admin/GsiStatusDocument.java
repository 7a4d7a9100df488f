package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.daemon.build.ShardProgress;

/** What {@code gsi status} prints (docs/formats.md). {@code report} is null until there is one. */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record GsiStatusDocument(
    String gsi,
    String state,
    String reason,
    long epoch,
    @Nullable Report report,
    long conflicts,
    List<Shard> shards) {
  public GsiStatusDocument {
    shards = List.copyOf(shards);
  }

  /** The last stored verification report; {@code at} in ISO 8601, UTC. */
  public record Report(String id, boolean clean, String at) {}

  /** The fields of the progress line. */
  public record Shard(
      String gsi,
      String shard,
      String phase,
      long rows,
      long rowsEstimated,
      double percent,
      long rowsPerSecond,
      String eta,
      long lagBytes,
      double lagSeconds,
      long walRetainedBytes) {
    public static Shard of(ShardProgress progress) {
      return new Shard(
          progress.gsi().toString(),
          progress.shard().toString(),
          progress.phase(),
          progress.rows(),
          progress.rowsEstimated(),
          progress.shownPercent(),
          progress.rowsPerSecond(),
          progress.etaText(),
          progress.lagBytes(),
          progress.lagSeconds(),
          progress.walRetainedBytes());
    }
  }
}
