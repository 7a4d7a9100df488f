package org.pgconcord.backfill.export;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.pgconcord.backfill.BuildDirectory;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.ProgressMeter;
import org.pgconcord.backfill.run.CopyRows;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Copies one part of an owner table into its runs, in a transaction that has the snapshot. */
final class RangeExport {
  private static final long REPORT_EVERY = 16 * 1024;

  private final LookupIndex index;
  private final LookupColumns columns;
  private final NullRows nullRows;
  private final BuildDirectory directory;
  private final int sortMemoryKilobytes;

  RangeExport(
      LookupIndex index,
      LookupColumns columns,
      BuildFindings findings,
      BuildDirectory directory,
      int sortMemoryKilobytes) {
    this.directory = directory;
    this.index = index;
    this.columns = columns;
    this.nullRows = new NullRows(index, findings);
    this.sortMemoryKilobytes = sortMemoryKilobytes;
  }

  /** The notes of the runs, which are durable. */
  List<RunNote> export(
      Connection transaction, ShardId shard, BlockRange range, int ordinal, ProgressMeter meter)
      throws SQLException, IOException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute("SET LOCAL work_mem = '" + sortMemoryKilobytes + "kB'");
    }
    long violations = nullRows.report(transaction, shard, range);
    try (RunsByLookup runs = new RunsByLookup(index, directory, shard, ordinal)) {
      copy(transaction, range, runs, meter);
      return runs.finish(violations);
    }
  }

  private void copy(
      Connection transaction, BlockRange range, RunsByLookup runs, ProgressMeter meter)
      throws SQLException, IOException {
    String sql = columns.copyOut(index, range);
    CopyOut out = transaction.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
    try {
      Counted counted = new Counted(runs, meter);
      int fields = columns.types().size() + index.lookupShardKey().size();
      CopyRows rows = new CopyRows(fields, counted);
      for (byte[] piece = out.readFromCopy(); piece != null; piece = out.readFromCopy()) {
        rows.feed(piece);
      }
      rows.finish();
      counted.report();
    } finally {
      if (out.isActive()) {
        out.cancelCopy();
      }
    }
  }

  /** Writes rows and tells of them now and then. */
  private static final class Counted implements CopyRows.RowSink {
    private final RunsByLookup writer;
    private final ProgressMeter meter;
    private long reportedRows;
    private long reportedBytes;

    Counted(RunsByLookup writer, ProgressMeter meter) {
      this.writer = writer;
      this.meter = meter;
    }

    @Override
    public void row(byte[] bytes, int offset, int length) throws IOException {
      writer.row(bytes, offset, length);
      if (writer.rows() - reportedRows >= REPORT_EVERY) {
        report();
      }
    }

    void report() {
      meter.add(writer.rows() - reportedRows, writer.bytes() - reportedBytes);
      reportedRows = writer.rows();
      reportedBytes = writer.bytes();
    }
  }
}
