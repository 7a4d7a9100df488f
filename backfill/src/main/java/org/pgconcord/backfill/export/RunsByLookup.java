package org.pgconcord.backfill.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.pgconcord.backfill.BuildDirectory;
import org.pgconcord.backfill.run.CopyRows;
import org.pgconcord.backfill.run.RowFormat;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.backfill.run.RunWriter;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.config.value.Tuple;
import org.pgconcord.gsi.LookupIndex;

/**
 * The runs of one part of an owner table, one for each lookup shard: a row goes to the run of the
 * shard that its key belongs on, and leaves behind the text that said so. Used by one thread.
 */
final class RunsByLookup implements CopyRows.RowSink, AutoCloseable {
  private final LookupIndex index;
  private final int columns;
  private final Map<ShardId, RunWriter> writers = new LinkedHashMap<>();
  private byte[] scratch = new byte[256];
  private long rows;
  private long bytes;

  RunsByLookup(LookupIndex index, BuildDirectory directory, ShardId owner, int range)
      throws IOException {
    this.index = index;
    this.columns = index.columns().size();
    try {
      for (ShardId lookup : index.lookupShards()) {
        String name = directory.runName(owner, range, writers.size());
        writers.put(lookup, new RunWriter(directory.path(), name, range, lookup.uid()));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  @Override
  public void row(byte[] row, int offset, int length) throws IOException {
    if (index.lookupShardKey().isEmpty()) {
      write(index.lookupShards().get(0), row, offset, length);
      return;
    }
    ShardId lookup = index.lookupShardOf(new Tuple(RowFormat.textsAfter(row, offset, columns)));
    int kept = RowFormat.lengthOfFirst(row, offset, columns);
    if (kept > scratch.length) {
      scratch = new byte[2 * kept];
    }
    System.arraycopy(row, offset, scratch, 0, kept);
    RowFormat.setColumns(scratch, 0, columns);
    write(lookup, scratch, 0, kept);
  }

  private void write(ShardId lookup, byte[] row, int offset, int length) throws IOException {
    RunWriter writer = writers.get(lookup);
    if (writer == null) {
      throw new IllegalStateException("a key belongs on " + lookup + ", which has no entries");
    }
    writer.row(row, offset, length);
    rows++;
    bytes += length;
  }

  long rows() {
    return rows;
  }

  long bytes() {
    return bytes;
  }

  /** Makes all runs durable; the rows that may not be there are noted with the first. */
  List<RunNote> finish(long nullViolations) throws IOException {
    List<RunNote> notes = new ArrayList<>();
    for (RunWriter writer : writers.values()) {
      notes.add(writer.finish(notes.isEmpty() ? nullViolations : 0));
    }
    return notes;
  }

  @Override
  public void close() throws IOException {
    for (RunWriter writer : writers.values()) {
      writer.close();
    }
  }
}
