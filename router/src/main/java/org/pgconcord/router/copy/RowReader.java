package org.pgconcord.router.copy;

import java.util.Arrays;
import java.util.List;

/**
 * Cuts the data of a COPY into rows. Data comes in parts that end anywhere, within a character, an
 * escape or a number too; what does not end a row yet is kept.
 */
public abstract class RowReader {
  /** A row longer than this is an error: it would have to be held whole. */
  static final int ROW_MOST = 256 << 20;

  private byte[] bytes = new byte[8_192];
  private int start;
  private int end;

  /** Who hears of it. */
  public interface Rows {
    /** What comes in front of the rows, for every shard alike: a header line or the signature. */
    void header(byte[] bytes, int from, int to, int lines);

    void row(CopyRow row);
  }

  /**
   * A reader of a format.
   *
   * @param columns the columns of the data in order
   * @param fields how many fields of each row are wanted, from the first on
   */
  public static RowReader of(CopyFormat format, List<String> columns, int fields, Rows rows) {
    return format.binary()
        ? new BinaryRows(fields, rows)
        : new TextRows(format, columns, fields, rows);
  }

  /**
   * Takes a part of the data.
   *
   * @throws BadCopyData for what PostgreSQL would refuse
   */
  public final void data(byte[] more) {
    append(more);
    consume(false);
  }

  /**
   * Takes the end.
   *
   * @throws BadCopyData for what PostgreSQL would refuse
   */
  public final void end() {
    consume(true);
  }

  /** Deals with as many rows as there are between {@code start} and {@code end}. */
  private void consume(boolean last) {
    int used = read(bytes, start, end, last);
    start = used;
    if (end - start > ROW_MOST) {
      throw BadCopyData.format(0, "a row of more than " + (ROW_MOST >> 20) + " MiB");
    }
  }

  /**
   * Reads whole rows.
   *
   * @param last nothing follows
   * @return the first byte that was not used up
   */
  abstract int read(byte[] data, int from, int to, boolean last);

  /** Whatever was remembered of places in the buffer has moved by this much. */
  abstract void moved(int by);

  private void append(byte[] more) {
    if (bytes.length - end < more.length) {
      int kept = end - start;
      byte[] to =
          kept + more.length > bytes.length
              ? new byte[Math.max(2 * bytes.length, kept + more.length)]
              : bytes;
      System.arraycopy(bytes, start, to, 0, kept);
      bytes = to;
      moved(-start);
      start = 0;
      end = kept;
    }
    System.arraycopy(more, 0, bytes, end, more.length);
    end += more.length;
  }

  static byte[] copy(byte[] data, int from, int to) {
    return Arrays.copyOfRange(data, from, to);
  }
}
