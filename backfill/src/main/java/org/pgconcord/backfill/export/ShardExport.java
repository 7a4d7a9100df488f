package org.pgconcord.backfill.export;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.pgconcord.backfill.BackfillOptions;
import org.pgconcord.backfill.BuildDirectory;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.BuildJournal;
import org.pgconcord.backfill.BuildNote.ShardNote;
import org.pgconcord.backfill.BuildStep;
import org.pgconcord.backfill.OwnerSnapshot;
import org.pgconcord.backfill.ProgressMeter;
import org.pgconcord.backfill.Sessions;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.error.ConcordException;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * Exports one owner shard: all parts of its table, each as one run for each lookup shard, all from
 * one snapshot.
 *
 * <h2>Why each owner row is in the runs exactly once</h2>
 *
 * The parts divide the heap's blocks, the last one without end. Within one snapshot a row version
 * that is visible has one ctid, and a heap that nobody rewrites never moves it: the anchor session
 * holds ACCESS SHARE on the table while parts are read, and the heap's file number is noted with
 * each part, so that parts of an earlier start are used only with the same heap. Runs of two
 * snapshots would see two moments; so all runs of a shard carry one consistent point, and a lost
 * snapshot throws all of that shard's runs away (and no other shard's).
 *
 * <h2>Crashes</h2>
 *
 * A run is durable before it is noted, and a file that is not noted is removed at the next start.
 * After a crash of this process the snapshot is gone with its session: a shard whose runs are
 * complete needs it no more, any other starts again.
 */
public final class ShardExport {
  private final LookupIndex index;
  private final Sessions sessions;
  private final BuildJournal journal;
  private final BuildDirectory directory;
  private final BackfillOptions options;
  private final BuildStep.Hook hook;
  private final RangeExport ranges;

  public ShardExport(
      LookupIndex index,
      LookupColumns columns,
      Sessions sessions,
      BuildJournal journal,
      BuildDirectory directory,
      BackfillOptions options,
      BuildFindings findings,
      BuildStep.Hook hook) {
    this.index = index;
    this.sessions = sessions;
    this.journal = journal;
    this.directory = directory;
    this.options = options;
    this.hook = hook;
    this.ranges =
        new RangeExport(index, columns, findings, directory, options.sortMemoryKilobytes());
  }

  /**
   * Exports what is missing of one shard, parts side by side on {@code readers}, and lets its
   * snapshot go.
   *
   * @throws org.pgconcord.config.error.ConcordException {@code backfill/snapshot-lost} when the
   *     shard needs a new snapshot; its runs are discarded then
   */
  public void export(OwnerSnapshot snapshot, MeterSource meters, Executor readers) {
    ShardId shard = snapshot.shard();
    try {
      Connection anchor = sessions.open(shard);
      try {
        SnapshotImport.begin(anchor, snapshot);
        ShardNote note = matchingNote(anchor, snapshot);
        hook.reached(BuildStep.RANGES_NOTED);
        ProgressMeter meter = meters.of(shard, note.rowsEstimated());
        meter.add(note.rows(), note.bytes());
        exportMissing(snapshot, note, meter, readers);
        meter.end();
      } finally {
        sessions.close(anchor);
      }
    } catch (SQLException | RuntimeException e) {
      throw failed(snapshot, e);
    }
    snapshot.hold().release();
    hook.reached(BuildStep.SHARD_EXPORTED);
  }

  /** Makes the meter of a shard once its size is known. */
  @FunctionalInterface
  public interface MeterSource {
    ProgressMeter of(ShardId shard, long rowsEstimated);
  }

  /** The note of an earlier start when its runs fit this snapshot and this heap, else a new one. */
  private ShardNote matchingNote(Connection anchor, OwnerSnapshot snapshot) throws SQLException {
    ShardId shard = snapshot.shard();
    TableParts.Parts parts =
        TableParts.read(anchor, index.gsi().owner(), options.exportRangeBytes());
    String consistentPoint = snapshot.consistentPoint().toString();
    ShardNote known = journal.shard(shard).orElse(null);
    if (known != null
        && known.consistentPoint().equals(consistentPoint)
        && sameHeap(anchor, known.ranges())) {
      return known;
    }
    ShardNote fresh =
        new ShardNote(consistentPoint, parts.ranges(), List.of(), parts.rowsEstimated());
    journal.noteShard(shard, fresh);
    return fresh;
  }

  private static boolean sameHeap(Connection anchor, List<BlockRange> ranges) throws SQLException {
    String sql = "SELECT pg_relation_filenode(to_regclass(?))";
    try (PreparedStatement statement = anchor.prepareStatement(sql)) {
      for (BlockRange range : ranges) {
        statement.setString(1, range.relation());
        try (ResultSet row = statement.executeQuery()) {
          if (!row.next() || row.getLong(1) != range.file()) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private void exportMissing(
      OwnerSnapshot snapshot, ShardNote note, ProgressMeter meter, Executor readers) {
    List<CompletableFuture<Void>> parts =
        IntStream.range(0, note.ranges().size())
            .filter(ordinal -> !note.hasRun(ordinal))
            .mapToObj(
                ordinal ->
                    CompletableFuture.runAsync(
                        () -> exportRange(snapshot, note.ranges().get(ordinal), ordinal, meter),
                        readers))
            .toList();
    CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).join();
  }

  private void exportRange(
      OwnerSnapshot snapshot, BlockRange range, int ordinal, ProgressMeter meter) {
    ShardId shard = snapshot.shard();
    try {
      Connection reader = sessions.open(shard);
      try {
        SnapshotImport.begin(reader, snapshot);
        List<RunNote> runs = ranges.export(reader, shard, range, ordinal, meter);
        hook.reached(BuildStep.RUN_WRITTEN);
        journal.noteRuns(shard, runs);
        hook.reached(BuildStep.RUN_NOTED);
      } finally {
        sessions.close(reader);
      }
    } catch (SQLException e) {
      throw shardFailed(shard, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The error to report; a dead snapshot costs the shard its runs. */
  private RuntimeException failed(OwnerSnapshot snapshot, Exception error) {
    Throwable cause =
        error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    boolean lost =
        cause instanceof ConcordException known && known.code() == ErrorCode.BACKFILL_SNAPSHOT_LOST;
    if (lost || !snapshot.hold().alive()) {
      discard(snapshot.shard());
      return lost ? (RuntimeException) cause : SnapshotImport.lost(snapshot).withCause(cause);
    }
    if (cause instanceof RuntimeException runtime) {
      return runtime;
    }
    return shardFailed(snapshot.shard(), cause);
  }

  private void discard(ShardId shard) {
    List<RunNote> runs = journal.shard(shard).map(ShardNote::runs).orElse(List.of());
    journal.discardShard(shard);
    for (RunNote run : runs) {
      try {
        Files.deleteIfExists(directory.path().resolve(run.file()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static RuntimeException shardFailed(ShardId shard, Throwable cause) {
    return ErrorCode.BACKFILL_FAILED
        .because("reading the owner rows of shard " + shard + " failed: " + cause.getMessage())
        .withCause(cause);
  }
}
