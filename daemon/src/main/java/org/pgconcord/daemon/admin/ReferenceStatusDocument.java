package org.pgconcord.daemon.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pgconcord.config.catalog.CopyStatus;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.daemon.build.ReferenceOperations.Overview;

/**
 * {@code reference status}.
 *
 * @param report the newest; null until there is one
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record ReferenceStatusDocument(
    String table, String leader, List<Copy> copies, @Nullable Report report) {
  public ReferenceStatusDocument {
    copies = List.copyOf(copies);
  }

  /**
   * One copy.
   *
   * @param state {@code unequal} while it is marked, else {@code unmarked}
   * @param reason of the mark, else empty
   * @param changedAt when the mark was set or cleared last; null when there never was one
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Copy(String shard, String state, String reason, @Nullable String changedAt) {}

  /** A stored report. */
  public record Report(String id, boolean clean, String at) {}

  static ReferenceStatusDocument of(Overview overview) {
    return new ReferenceStatusDocument(
        overview.table().toString(),
        overview.leader().uid(),
        overview.copies().stream().map(s -> copy(s, overview.statuses().get(s))).toList(),
        overview
            .report()
            .map(r -> new Report(Long.toString(r.id()), r.clean(), r.storedAt().toString()))
            .orElse(null));
  }

  private static Copy copy(ShardId shard, @Nullable CopyStatus status) {
    return status == null
        ? new Copy(shard.uid(), "unmarked", "", null)
        : new Copy(
            shard.uid(),
            status.unequal() ? "unequal" : "unmarked",
            status.reason(),
            status.changedAt().toString());
  }
}
