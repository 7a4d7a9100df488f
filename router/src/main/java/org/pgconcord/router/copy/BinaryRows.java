package org.pgconcord.router.copy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of the binary format: a signature, each row with the lengths of its fields, a trailer. */
final class BinaryRows extends RowReader {
  private static final byte[] SIGNATURE =
      "PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1);
  private static final int MORE = -1;

  /** Signature, flags, length of the extension. */
  private static final int HEADER = SIGNATURE.length + 2 * Integer.BYTES;

  private final int wanted;
  private final Rows rows;
  private boolean begun;
  private boolean over;
  private long number;

  BinaryRows(int wanted, Rows rows) {
    this.wanted = wanted;
    this.rows = rows;
  }

  @Override
  void moved(int by) {}

  @Override
  int read(byte[] data, int from, int to, boolean last) {
    int start = from;
    if (!begun) {
      int end = header(data, start, to, last);
      if (end == MORE) {
        return start;
      }
      begun = true;
      rows.header(data, start, end, 0);
      start = end;
    }
    while (start < to) {
      if (over) {
        throw BadCopyData.format(number, "received copy data after EOF marker");
      }
      int end = row(data, start, to);
      if (end == MORE) {
        break;
      }
      start = end;
    }
    if (last && start < to) {
      throw BadCopyData.format(number + 1, "unexpected EOF in COPY data");
    }
    return start;
  }

  private static int header(byte[] data, int from, int to, boolean last) {
    int there = Math.min(SIGNATURE.length, to - from);
    if (!Arrays.equals(SIGNATURE, 0, there, data, from, from + there)
        || (last && there < SIGNATURE.length)) {
      throw BadCopyData.format(0, "COPY file signature not recognized");
    }
    if (to - from < HEADER) {
      if (last) {
        throw BadCopyData.format(0, "invalid COPY file header (missing flags)");
      }
      return MORE;
    }
    int extension = ByteBuffer.wrap(data).getInt(from + HEADER - Integer.BYTES);
    if (extension < 0) {
      throw BadCopyData.format(0, "invalid COPY file header (missing length)");
    }
    if (to - from - HEADER < extension) {
      if (last) {
        throw BadCopyData.format(0, "invalid COPY file header (wrong length)");
      }
      return MORE;
    }
    return from + HEADER + extension;
  }

  private int row(byte[] data, int from, int to) {
    if (to - from < Short.BYTES) {
      return MORE;
    }
    ByteBuffer in = ByteBuffer.wrap(data, 0, to).position(from);
    int count = in.getShort();
    if (count == -1) {
      over = true;
      return in.position();
    }
    List<CopyField> fields = new ArrayList<>(wanted);
    for (int i = 0; i < count; i++) {
      if (in.remaining() < Integer.BYTES) {
        return MORE;
      }
      int length = in.getInt();
      if (length < -1) {
        throw BadCopyData.format(number + 1, "invalid field size");
      }
      if (length > in.remaining()) {
        return MORE;
      }
      int at = in.position();
      if (i < wanted) {
        fields.add(
            length < 0 ? CopyField.NULL : new CopyField(null, copy(data, at, at + length), false));
      }
      in.position(at + Math.max(0, length));
    }
    number++;
    rows.row(new CopyRow(data, from, in.position(), number, 1, fields));
    return in.position();
  }
}
