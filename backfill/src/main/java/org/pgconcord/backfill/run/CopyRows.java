package org.pgconcord.backfill.run;

import java.io.IOException;
import java.util.Arrays;
import org.pgconcord.config.error.ErrorCode;

/**
 * Cuts the stream of a binary COPY into rows. The server sends a row per message today, which is
 * the fast path; the protocol does not promise it, so a row that spans messages is put together
 * here. Used by one thread.
 */
public final class CopyRows {
  /** Takes one row; the array belongs to the caller and is valid during the call. */
  @FunctionalInterface
  public interface RowSink {
    void row(byte[] bytes, int offset, int length) throws IOException;
  }

  private final RowSink sink;
  private final int columns;
  private byte[] carry = new byte[0];
  private boolean inRows;
  private boolean ended;

  public CopyRows(int columns, RowSink sink) {
    this.columns = columns;
    this.sink = sink;
  }

  /** Takes the next piece of the stream. */
  public void feed(byte[] piece) throws IOException {
    byte[] bytes = carry.length == 0 ? piece : concat(carry, piece);
    int at = inRows ? 0 : skipHeader(bytes);
    while (inRows && !ended && bytes.length - at >= 2) {
      int fields = RowFormat.int16(bytes, at);
      if (fields == -1) {
        ended = true;
        at = bytes.length;
      } else if (fields != columns) {
        throw ErrorCode.INTERNAL.because(
            "a COPY row has " + fields + " fields instead of " + columns);
      } else {
        int length = RowFormat.rowLength(bytes, at, bytes.length);
        if (length < 0) {
          break;
        }
        sink.row(bytes, at, length);
        at += length;
      }
    }
    carry = at == bytes.length ? new byte[0] : Arrays.copyOfRange(bytes, at, bytes.length);
  }

  /** Checks that the stream came to its end mark: without it rows may be missing. */
  public void finish() {
    if (!ended || carry.length > 0) {
      throw ErrorCode.INTERNAL.because("a binary COPY ended without its end mark");
    }
  }

  /** The header is 19 bytes and an extension whose length is in the last four of them. */
  private int skipHeader(byte[] bytes) {
    int fixed = RowFormat.signature().length;
    if (bytes.length < fixed) {
      return 0;
    }
    int end = fixed + RowFormat.int32(bytes, fixed - 4);
    if (bytes.length < end) {
      return 0;
    }
    inRows = true;
    return end;
  }

  private static byte[] concat(byte[] head, byte[] tail) {
    byte[] all = Arrays.copyOf(head, head.length + tail.length);
    System.arraycopy(tail, 0, all, head.length, tail.length);
    return all;
  }
}
