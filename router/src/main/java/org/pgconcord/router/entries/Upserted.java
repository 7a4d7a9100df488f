package org.pgconcord.router.entries;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.router.backend.BackendConnection;

/**
 * What one INSERT ... ON CONFLICT DO UPDATE has done to entries.
 *
 * @param before of the rows that it has updated, as they were
 * @param updated of the same rows now
 * @param inserted of the rows that are new
 * @param fixed indexes whose entries of updated rows may not change
 * @param arbiters global indexes of which rows in the way are updated
 */
public record Upserted(
    List<ReturnedRows.Found> before,
    List<ReturnedRows.Found> updated,
    List<ReturnedRows.Found> inserted,
    Set<GsiName> fixed,
    Set<GsiName> arbiters) {
  public Upserted {
    before = List.copyOf(before);
    updated = List.copyOf(updated);
    inserted = List.copyOf(inserted);
    fixed = Set.copyOf(fixed);
    arbiters = Set.copyOf(arbiters);
  }

  /**
   * Follows the rows, those that are gone first.
   *
   * @param mains the backends of the rows' shards
   */
  public CompletableFuture<Void> secure(
      EntryTransaction entries, Map<ShardId, BackendConnection> mains) {
    Optional<Throwable> refusal = refusal();
    if (refusal.isPresent()) {
      return CompletableFuture.failedFuture(refusal.get());
    }
    return entries
        .change(mains, before, updated, fixed)
        .thenCompose(changed -> entries.addUnlessTaken(mains, inserted, arbiters))
        .thenCompose(free -> free ? CompletableFuture.completedFuture(null) : failed(elsewhere()));
  }

  private static CompletableFuture<Void> failed(Throwable failure) {
    return CompletableFuture.failedFuture(failure);
  }

  private static Throwable elsewhere() {
    return ErrorCode.WRITE_ON_CONFLICT
        .because("the row that is in the way belongs to another shard key")
        .withDetail("ON CONFLICT DO UPDATE updates rows of the shard key that it inserts.")
        .withHint(
            "With gsi_mode extended, UPDATE the row by the index's columns, under any shard key; where no row was changed, INSERT ... ON CONFLICT DO NOTHING, and begin again when that stores none.");
  }

  /** What the rows of one statement do to each other, which no other transaction decides. */
  private Optional<Throwable> refusal() {
    List<ReturnedRows.Found> now = new ArrayList<>(updated);
    now.addAll(inserted);
    Optional<ReturnedRows.Found> twice = EntryOverlay.twice(now);
    if (twice.isPresent()) {
      return Optional.of(
          arbiters.contains(twice.get().index().name())
              ? ErrorCode.WRITE_ROW_TWICE.because(
                  "ON CONFLICT DO UPDATE command cannot affect row a second time")
              : EntryErrors.duplicate(twice.get().index(), twice.get().entry()));
    }
    return EntryOverlay.twice(keysOfArbiters()).isPresent()
        ? Optional.of(
            ErrorCode.WRITE_ON_CONFLICT.because(
                "a row of the statement gets the key of the arbiter that another one has had"))
        : Optional.empty();
  }

  /**
   * Keys of arbiters that new rows have, or updated ones had. One server decides by the order of
   * VALUES whether a new row meets the one that leaves its key; shards do not know that order.
   */
  private List<ReturnedRows.Found> keysOfArbiters() {
    Set<ReturnedRows.Found> keys = new HashSet<>(before);
    keys.addAll(inserted);
    keys.removeIf(found -> !arbiters.contains(found.index().name()));
    return List.copyOf(keys);
  }
}
