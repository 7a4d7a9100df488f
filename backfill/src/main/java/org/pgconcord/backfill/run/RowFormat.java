package org.pgconcord.backfill.run;

/**
 * One row of a binary COPY with two columns that are not NULL (PostgreSQL manual, "COPY", Binary
 * Format): {@code int16 2, int32 length, key, int32 length, shard key}. Runs hold rows in just this
 * form, so that loading copies bytes and never builds a row.
 */
public final class RowFormat {
  /** The signature, no flags, no header extension: what a binary COPY stream begins with. */
  private static final byte[] SIGNATURE = {
    'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0, 0, 0, 0, 0, 0, 0, 0, 0
  };

  private static final byte[] TRAILER = {(byte) 0xFF, (byte) 0xFF};

  /** Bytes before a key's first byte. */
  static final int KEY_OFFSET = 2 + 4;

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

  /**
   * The length of the row that starts at {@code from}, or -1 when the row does not end before
   * {@code to}.
   */
  static int rowLength(byte[] bytes, int from, int to) {
    if (to - from < KEY_OFFSET) {
      return -1;
    }
    long shardKeyLengthAt = (long) from + KEY_OFFSET + int32(bytes, from + 2);
    if (shardKeyLengthAt + 4 > to) {
      return -1;
    }
    long end = shardKeyLengthAt + 4 + int32(bytes, (int) shardKeyLengthAt);
    return end > to ? -1 : (int) (end - from);
  }
}
