package org.pgconcord.backfill.export;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.pgconcord.backfill.BuildFindings;
import org.pgconcord.backfill.ProgressMeter;
import org.pgconcord.backfill.run.CopyRows;
import org.pgconcord.backfill.run.RunNote;
import org.pgconcord.backfill.run.RunWriter;
import org.pgconcord.config.value.ShardId;
import org.pgconcord.gsi.LookupIndex;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Copies one part of an owner table into one run, in a transaction that has the snapshot. */
final class RangeExport {
  private static final long REPORT_EVERY = 16 * 1024;

  private final LookupIndex index;
  private final LookupColumns columns;
  private final NullRows nullRows;
  private final Path directory;
  private final int sortMemoryKilobytes;

  RangeExport(
      LookupIndex index,
      LookupColumns columns,
      BuildFindings findings,
      Path directory,
      int sortMemoryKilobytes) {
    this.directory = directory;
    this.index = index;
    this.columns = columns;
    this.nullRows = new NullRows(index, findings);
    this.sortMemoryKilobytes = sortMemoryKilobytes;
  }

  /** The note of the run, which is durable. */
  RunNote export(
      Connection transaction,
      ShardId shard,
      BlockRange range,
      int ordinal,
      String file,
      ProgressMeter meter)
      throws SQLException, IOException {
    try (Statement statement = transaction.createStatement()) {
      statement.execute("SET LOCAL work_mem = '" + sortMemoryKilobytes + "kB'");
    }
    long violations = nullRows.report(transaction, shard, range);
    try (RunWriter writer = new RunWriter(directory, file, ordinal)) {
      copy(transaction, range, writer, meter);
      return writer.finish(violations);
    }
  }

  private void copy(Connection transaction, BlockRange range, RunWriter writer, ProgressMeter meter)
      throws SQLException, IOException {
    String sql = columns.copyOut(index, range);
    CopyOut out = transaction.unwrap(PGConnection.class).getCopyAPI().copyOut(sql);
    try {
      Counted counted = new Counted(writer, meter);
      CopyRows rows = new CopyRows(columns.types().size(), counted);
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
    private final RunWriter writer;
    private final ProgressMeter meter;
    private long reportedRows;
    private long reportedBytes;

    Counted(RunWriter writer, ProgressMeter meter) {
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
