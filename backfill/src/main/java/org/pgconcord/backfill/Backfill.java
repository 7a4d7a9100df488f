package org.pgconcord.backfill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.pgconcord.backfill.BuildNote.ShardNote;
import org.pgconcord.backfill.export.LookupColumns;
import org.pgconcord.backfill.load.LoadClaim;
import org.pgconcord.backfill.load.LoadClaim.Loaded;
import org.pgconcord.backfill.run.RunFile;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.error.ErrorCode;
import org.pgconcord.config.topology.Gsi;
import org.pgconcord.config.value.Lsn;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;

/**
 * One build of one lookup table. It may end at any moment, by an exception, {@link #stop} or the
 * end of the process, and a new object for the same index goes on where it was:
 *
 * <ol>
 *   <li>{@link #shardsWithoutRuns} says which owner shards still need a snapshot; the caller makes
 *       slots for just those;
 *   <li>{@link #run} exports them, loads, and returns when the lookup table holds the entries of
 *       all snapshots and the target's progress says where each stream starts.
 * </ol>
 *
 * <p>A build that has ended stays known until {@link #forget}, so that a repeated {@link #run} does
 * nothing. The lookup table exists before, with the index's columns. One thread calls it; {@link
 * #stop} may come from any.
 */
public final class Backfill {
  private final LookupIndex index;
  private final BackfillServices services;
  private final BackfillProgress.Sink sink;
  private final Sessions sessions;
  private final BuildJournal journal;

  public Backfill(LookupIndex index, BackfillServices services, BackfillProgress.Sink sink) {
    this.index = index;
    this.services = services;
    this.sink = sink;
    this.sessions = new Sessions(services.sessions());
    this.journal = new BuildJournal(services.store(), index.name());
  }

  /**
   * The owner shards whose runs are not complete and intact: {@link #run} needs a snapshot of each.
   * Empty too when the build has ended.
   */
  public Set<ShardId> shardsWithoutRuns() {
    BuildNote note = current().orElse(null);
    if (note == null) {
      return Set.copyOf(index.ownerShards());
    }
    if (note.loaded()) {
      return Set.of();
    }
    Set<ShardId> missing = new HashSet<>();
    for (ShardId shard : index.ownerShards()) {
      ShardNote part = note.shards().get(shard.uid());
      if (part == null || !part.complete() || !intact(note, part)) {
        missing.add(shard);
      }
    }
    return missing;
  }

  /** The moments of the owner shards' snapshots of which there are runs. */
  public Map<ShardId, Lsn> consistentPoints() {
    return current()
        .filter(note -> !note.loaded())
        .map(Backfill::consistentPoints)
        .orElse(Map.of());
  }

  /**
   * Builds to the end.
   *
   * @param snapshots at least one for each of {@link #shardsWithoutRuns}
   * @throws org.pgconcord.config.error.ConcordException {@code backfill/snapshot-lost} when a shard
   *     needs a new slot and snapshot, {@code backfill/superseded} when another build has taken the
   *     table, {@code backfill/failed} otherwise
   */
  public BackfillResult run(Map<ShardId, OwnerSnapshot> snapshots) {
    if (current().isEmpty()) {
      begin();
    }
    discardDamaged();
    BuildNote note = journal.note();
    BuildDirectory directory =
        new BuildDirectory(services.stateDirectory(), index.name(), note.build());
    LoadClaim claim = new LoadClaim(index.name(), note.claimName());
    try {
      directory.prepare(note);
      Map<ShardId, Loaded> ended = claimAll(claim);
      Set<ShardId> open = new TreeSet<>(index.lookupShards());
      open.removeAll(ended.keySet());
      if (!open.isEmpty()) {
        for (Map.Entry<ShardId, Loaded> loaded :
            exportAndLoad(snapshots, open, directory, claim).entrySet()) {
          end(loaded.getKey(), claim, loaded.getValue());
          ended.put(loaded.getKey(), loaded.getValue());
        }
      }
      return end(ended.values(), directory);
    } catch (SQLException e) {
      throw ErrorCode.BACKFILL_FAILED
          .because("the build of " + index.name() + " failed: " + e.getMessage())
          .withCause(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes every lookup shard this build's; what has been loaded where it ended before. */
  private Map<ShardId, Loaded> claimAll(LoadClaim claim) throws SQLException {
    Map<ShardId, Loaded> ended = new TreeMap<>();
    for (ShardId lookup : index.lookupShards()) {
      Connection target = sessions.open(lookup);
      try {
        claim.take(target, index.gsi().lookup()).ifPresent(loaded -> ended.put(lookup, loaded));
        services.hook().reached(BuildStep.TARGET_CLAIMED);
      } finally {
        sessions.close(target);
      }
    }
    return ended;
  }

  /** The lookup table has one definition on all its shards: a precondition of the build. */
  private LookupColumns columns() throws SQLException {
    Connection target = sessions.open(index.lookupShards().get(0));
    try {
      return LookupColumns.read(target, index);
    } finally {
      sessions.close(target);
    }
  }

  /** Ends a running build from another thread; what is done stays done. */
  public void stop() {
    sessions.abort();
  }

  /** Forgets the build and removes its files: the next one starts from nothing. */
  public void forget() {
    try {
      BuildDirectory.deleteTree(BuildDirectory.rootOf(services.stateDirectory(), index.name()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    journal.forget();
  }

  /** The note of a build of just this index; one of another definition does not count. */
  private Optional<BuildNote> current() {
    return journal.read().filter(note -> note.definition().equals(definition()));
  }

  private void begin() {
    byte[] random = new byte[8];
    new SecureRandom().nextBytes(random);
    String name = HexFormat.of().formatHex(random);
    journal.begin(new BuildNote(name, 0, definition(), Map.of(), Map.of(), false));
    services.hook().reached(BuildStep.BUILD_NOTED);
  }

  /** Runs that are not what was written are thrown away, and with them what was loaded. */
  private void discardDamaged() {
    BuildNote note = journal.note();
    for (Map.Entry<String, ShardNote> part : note.shards().entrySet()) {
      if (!note.loaded() && !intact(note, part.getValue())) {
        journal.discardShard(new ShardId(part.getKey()));
      }
    }
  }

  private String definition() {
    Gsi gsi = index.gsi();
    return String.join(
        " ",
        gsi.lookup().quoted(),
        gsi.owner().quoted(),
        index.columns().toString(),
        String.valueOf(gsi.unique()),
        String.valueOf(gsi.ignoreNull()),
        index.lookupDefinition(),
        index.ownerShards().toString());
  }

  private boolean intact(BuildNote note, ShardNote part) {
    BuildDirectory directory =
        new BuildDirectory(services.stateDirectory(), index.name(), note.build());
    try {
      for (RunNote run : part.runs()) {
        if (!RunFile.intact(directory.path(), run)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<ShardId, Loaded> exportAndLoad(
      Map<ShardId, OwnerSnapshot> snapshots,
      Set<ShardId> lookups,
      BuildDirectory directory,
      LoadClaim claim)
      throws SQLException {
    LookupColumns columns = columns();
    int threads = services.options().exporters() + index.ownerShards().size();
    ExecutorService workers =
        Executors.newFixedThreadPool(
            Math.max(threads, Loads.AT_ONCE * (services.options().loaders() + 1)),
            task -> {
              Thread thread = new Thread(task, "backfill-" + index.name());
              thread.setDaemon(true);
              return thread;
            });
    try {
      new Exports(index, services, sink, sessions, journal, directory, columns)
          .run(withoutRuns(snapshots), workers);
      return new Loads(index, services, sink, sessions, journal, directory)
          .run(lookups, claim, columns.order(), workers);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    } finally {
      workers.shutdownNow();
    }
  }

  /** The snapshots to export, and nothing that is complete already. */
  private Map<ShardId, OwnerSnapshot> withoutRuns(Map<ShardId, OwnerSnapshot> snapshots) {
    Map<ShardId, OwnerSnapshot> needed = new TreeMap<>();
    for (ShardId shard : shardsWithoutRuns()) {
      OwnerSnapshot snapshot = snapshots.get(shard);
      if (snapshot == null) {
        throw ErrorCode.BACKFILL_SNAPSHOT_LOST.because("shard " + shard + " has no snapshot");
      }
      needed.put(shard, snapshot);
    }
    return needed;
  }

  /** Commits the end of one lookup shard's load there, with the positions of all streams. */
  private void end(ShardId lookup, LoadClaim claim, Loaded loaded) throws SQLException {
    Connection target = sessions.open(lookup);
    try {
      claim.hold(target);
      services.progress().start(target, index.name(), consistentPoints(journal.note()));
      claim.end(target, loaded);
      target.commit();
    } finally {
      sessions.close(target);
    }
    services.hook().reached(BuildStep.LOAD_COMMITTED);
  }

  /** Every lookup shard has its end: notes it and removes the runs. */
  private BackfillResult end(Collection<Loaded> ended, BuildDirectory directory)
      throws IOException {
    BuildNote note = journal.note();
    journal.noteLoaded();
    services.hook().reached(BuildStep.LOAD_NOTED);
    directory.delete();
    long violations =
        note.shards().values().stream()
            .flatMap(shard -> shard.runs().stream())
            .mapToLong(RunNote::nullViolations)
            .sum();
    return new BackfillResult(
        ended.stream().mapToLong(Loaded::rows).sum(),
        ended.stream().mapToLong(Loaded::duplicateRows).sum(),
        violations);
  }

  private static Map<ShardId, Lsn> consistentPoints(BuildNote note) {
    Map<ShardId, Lsn> points = new TreeMap<>();
    note.shards()
        .forEach(
            (shard, part) -> points.put(new ShardId(shard), Lsn.parse(part.consistentPoint())));
    return points;
  }
}
