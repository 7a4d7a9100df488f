package org.pgconcord.backfill;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.pgconcord.backfill.BuildNote.ShardNote;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.value.GsiName;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.state.store.Codec;
import org.pgconcord.state.store.StateBatch;
import org.pgconcord.state.store.StateStore;
import org.pgconcord.state.store.StateTable;
import org.pgconcord.state.store.Table;

/**
 * The current note of one build and its place in the state store; every change is on disk when its
 * method returns. Several exporting threads note their runs at once, hence the lock.
 */
public final class BuildJournal {
  private final StateStore store;
  private final Table<String, BuildNote> notes;
  private final String key;
  private @Nullable BuildNote current;

  BuildJournal(StateStore store, GsiName gsi) {
    this.store = store;
    this.notes = store.table(StateTable.RUNS, Codec.text(), Codec.json(BuildNote.class));
    // The notes of the first kind, under "build/", knew of one lookup shard.
    this.key = "build-2/" + gsi;
    this.current = notes.get(key).orElse(null);
  }

  synchronized Optional<BuildNote> read() {
    return Optional.ofNullable(current);
  }

  synchronized void begin(BuildNote note) {
    write(note);
  }

  /** The note of the build under way. */
  public synchronized BuildNote note() {
    if (current == null) {
      throw new IllegalStateException("no build is noted for " + key);
    }
    return current;
  }

  public synchronized Optional<ShardNote> shard(ShardId shard) {
    return Optional.ofNullable(note().shards().get(shard.uid()));
  }

  public synchronized void noteShard(ShardId shard, ShardNote part) {
    write(note().withShard(shard.uid(), part));
  }

  /** Notes all runs of one range at once: it is exported or it is not. */
  public synchronized void noteRuns(ShardId shard, List<RunNote> runs) {
    ShardNote part =
        shard(shard).orElseThrow(() -> new IllegalStateException("no ranges of " + shard));
    write(note().withShard(shard.uid(), part.with(runs)));
  }

  public synchronized void discardShard(ShardId shard) {
    write(note().withoutShard(shard.uid()));
  }

  synchronized void noteCuts(ShardId lookup, List<byte[]> cuts) {
    write(note().withCuts(lookup.uid(), cuts));
  }

  synchronized void noteLoaded() {
    write(note().asLoaded());
  }

  synchronized void forget() {
    store.writeDurably(new StateBatch().delete(notes, key));
    current = null;
  }

  private void write(BuildNote note) {
    store.writeDurably(new StateBatch().put(notes, key, note));
    current = note;
  }
}
