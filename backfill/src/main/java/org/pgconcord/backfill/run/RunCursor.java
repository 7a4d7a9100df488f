package org.pgconcord.backfill.run;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.pgconcord.backfill.order.RowOrder;

/**
 * Walks the rows of a part of a run in one growing buffer; the current row is a slice of it, no
 * object is made per row. Used by one thread.
 */
public final class RunCursor {
  private final FileChannel channel;
  private final long end;
  private long filePosition;
  private byte[] buffer;
  private int rowStart;
  private int filled;
  private int rowLength;

  RunCursor(FileChannel channel, long from, long to, int bufferBytes) throws IOException {
    this.channel = channel;
    this.filePosition = from;
    this.end = to;
    this.buffer = new byte[(int) Math.max(64, Math.min(bufferBytes, to - from))];
    locateRow();
  }

  public boolean exhausted() {
    return rowLength == 0;
  }

  public void advance() throws IOException {
    rowStart += rowLength;
    locateRow();
  }

  /** The array that holds the current row; another one may hold the next. */
  public byte[] buffer() {
    return buffer;
  }

  public int rowStart() {
    return rowStart;
  }

  public int rowLength() {
    return rowLength;
  }

  /** Where the row's values begin, the first one's length before it. */
  private int valuesStart() {
    return rowStart + RowFormat.VALUES;
  }

  /** Compares with the values of another row. */
  public int compareValues(byte[] values, RowOrder order) {
    return order.compare(buffer, valuesStart(), values, 0);
  }

  public int compare(RunCursor other, RowOrder order) {
    return order.compare(buffer, valuesStart(), other.buffer, other.valuesStart());
  }

  /** Compares with a row that starts at the array's first byte. */
  public int compareRow(byte[] row, RowOrder order) {
    return order.compare(buffer, valuesStart(), row, RowFormat.VALUES);
  }

  private void locateRow() throws IOException {
    int length = RowFormat.rowLength(buffer, rowStart, filled);
    while (length < 0 && filePosition < end) {
      refill();
      length = RowFormat.rowLength(buffer, rowStart, filled);
    }
    if (length < 0 && rowStart < filled) {
      throw new EOFException("a run ends inside a row");
    }
    rowLength = Math.max(length, 0);
  }

  private void refill() throws IOException {
    int rest = filled - rowStart;
    byte[] target = rest * 2 > buffer.length ? new byte[buffer.length * 2] : buffer;
    System.arraycopy(buffer, rowStart, target, 0, rest);
    buffer = target;
    rowStart = 0;
    filled = rest;
    int want = (int) Math.min(buffer.length - rest, end - filePosition);
    ByteBuffer into = ByteBuffer.wrap(buffer, rest, want);
    int count = channel.read(into, filePosition);
    if (count <= 0) {
      throw new EOFException("a run is shorter than noted");
    }
    filled += count;
    filePosition += count;
  }
}
