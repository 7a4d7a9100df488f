package org.pgconcord.backfill.run;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One row of a binary COPY whose columns are not NULL (PostgreSQL manual, "COPY", Binary Format):
 * {@code int16 columns}, then each value after its {@code int32 length}, the identity's first. Runs
 * hold rows in just this form, so that loading copies bytes and never builds a row.
 */
public final class RowFormat {
  /** The signature, no flags, no header extension: what a binary COPY stream begins with. */
  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] TRAILER = {(byte) 0xFF, (byte) 0xFF};

  /** Bytes before the first value's length. */
  static final int VALUES = 2;

  private RowFormat() {}

  public static byte[] signature() {
    return SIGNATURE.clone();
  }

  public static byte[] trailer() {
    return TRAILER.clone();
  }

  static int int16(byte[] bytes, int at) {
    return (short) (((bytes[at] & 0xFF) << 8) | (bytes[at + 1] & 0xFF));
  }

  static int int32(byte[] bytes, int at) {
    return ((bytes[at] & 0xFF) << 24)
        | ((bytes[at + 1] & 0xFF) << 16)
        | ((bytes[at + 2] & 0xFF) << 8)
        | (bytes[at + 3] & 0xFF);
  }

  /** The length of a whole row's first columns, what is before them included. */
  public static int lengthOfFirst(byte[] row, int from, int columns) {
    int at = from + VALUES;
    for (int column = 0; column < columns; column++) {
      at += 4 + int32(row, at);
    }
    return at - from;
  }

  /** The values of a whole row's columns from one on, as UTF-8 texts. */
  public static List<String> textsAfter(byte[] row, int from, int columns) {
    List<String> texts = new ArrayList<>();
    int at = from + lengthOfFirst(row, from, columns);
    for (int column = columns; column < int16(row, from); column++) {
      int length = int32(row, at);
      texts.add(new String(row, at + 4, length, StandardCharsets.UTF_8));
      at += 4 + length;
    }
    return texts;
  }

  /** Says of how many columns the row is. */
  public static void setColumns(byte[] row, int from, int columns) {
    row[from] = (byte) (columns >> 8);
    row[from + 1] = (byte) columns;
  }

  /**
   * The length of the row that starts at {@code from}, or -1 when the row does not end before
   * {@code to}.
   */
  static int rowLength(byte[] bytes, int from, int to) {
    if (to - from < VALUES) {
      return -1;
    }
    long at = (long) from + VALUES;
    for (int columns = int16(bytes, from); columns > 0; columns--) {
      if (at + 4 > to) {
        return -1;
      }
      at += 4 + (long) int32(bytes, (int) at);
    }
    return at > to ? -1 : (int) (at - from);
  }
}
