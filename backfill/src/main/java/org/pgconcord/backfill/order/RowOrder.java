package org.pgconcord.backfill.order;

import java.util.List;

/**
 * Compares rows of a binary COPY by their identities: the values of the first columns, one after
 * the other, each with its length before it. What comes behind them in a row is not looked at.
 */
public final class RowOrder {
  private final RawOrder[] columns;

  /**
   * @param columns the orders of the identity's columns
   */
  public RowOrder(List<RawOrder> columns) {
    this.columns = columns.toArray(RawOrder[]::new);
  }

  /** Compares two rows, given from their first value's length on. */
  public int compare(byte[] a, int aOffset, byte[] b, int bOffset) {
    int atA = aOffset;
    int atB = bOffset;
    for (RawOrder column : columns) {
      int lengthA = int32(a, atA);
      int lengthB = int32(b, atB);
      int compared = column.compare(a, atA + 4, lengthA, b, atB + 4, lengthB);
      if (compared != 0) {
        return compared;
      }
      atA += 4 + lengthA;
      atB += 4 + lengthB;
    }
    return 0;
  }

  public int compare(byte[] a, byte[] b) {
    return compare(a, 0, b, 0);
  }

  private static int int32(byte[] bytes, int at) {
    return ((bytes[at] & 0xFF) << 24)
        | ((bytes[at + 1] & 0xFF) << 16)
        | ((bytes[at + 2] & 0xFF) << 8)
        | (bytes[at + 3] & 0xFF);
  }
}
